//! The rule for repeats of a failed call.

use std::time::Duration;

/// The rule for repeats of a failed call: how many, and after how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryPolicy {
    /// The number of attempts in all. 1 means no retry.
    pub max_attempts: u32,
    /// The longest delay before the second attempt. It doubles with every attempt.
    pub initial_delay: Duration,
    /// The longest delay, unless the server asks for a longer one.
    pub max_delay: Duration,
}

impl Default for RetryPolicy {
    /// Outlives a restart of the server.
    fn default() -> Self {
        Self {
            max_attempts: 8,
            initial_delay: Duration::from_millis(100),
            max_delay: Duration::from_secs(5),
        }
    }
}

impl RetryPolicy {
    /// The pause after so many failures: half of it random, so that many clients do not come back at
    /// once, and never shorter than the server asks.
    pub(crate) fn delay(&self, failures: u32, asked: Option<Duration>) -> Duration {
        let doubled = self
            .initial_delay
            .saturating_mul(1 << (failures - 1).min(20));
        let own = doubled
            .min(self.max_delay)
            .mul_f64(0.5 + 0.5 * fastrand::f64());
        own.max(
            asked
                .unwrap_or_default()
                .mul_f64(1.0 + 0.25 * fastrand::f64()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, RetryPolicy};

    #[test]
    fn grows_up_to_its_limit_and_obeys_the_server() {
        let policy = RetryPolicy::default();
        for (failures, full) in [(1, 100), (2, 200), (3, 400), (7, 5_000), (90, 5_000)] {
            let delay = policy.delay(failures, None).as_millis();
            assert!((full / 2..=full).contains(&delay), "{failures}: {delay}");
        }
        let asked = policy.delay(1, Some(Duration::from_secs(9))).as_millis();
        assert!((9_000..=11_250).contains(&asked), "{asked}");
    }
}
