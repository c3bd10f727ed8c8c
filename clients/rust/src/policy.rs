//! Short ways to write policies: presets of the server, and the stages of a policy of your own.
//!
//! A stage acts always, on append and on whole turns, unless its other fields say otherwise.

use prost_types::value::Kind;
use prost_types::{Struct, Value};

use crate::v1::policy_choice::Choice;
use crate::v1::policy_stage::Select;
use crate::v1::{
    DropDuplicates, DropOldest, Filter, KeepLast, PackNewest, PinMiddleRecent, Policy,
    PolicyChoice, PolicyStage, Preset, Shorten,
};

/// Chooses a policy of the server by its name, with options: [`number`], [`text`], [`flag`], or any
/// other value of JSON. The server refuses unknown names and options.
pub fn preset<'a>(name: &str, options: impl IntoIterator<Item = (&'a str, Value)>) -> PolicyChoice {
    let fields = options
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let options = Some(Struct { fields });
    PolicyChoice {
        choice: Some(Choice::Preset(Preset {
            name: name.to_owned(),
            options,
        })),
    }
}

/// A number as an option.
pub fn number(value: impl Into<f64>) -> Value {
    Value {
        kind: Some(Kind::NumberValue(value.into())),
    }
}

/// A text as an option.
pub fn text(value: impl Into<String>) -> Value {
    Value {
        kind: Some(Kind::StringValue(value.into())),
    }
}

/// Yes or no as an option.
pub fn flag(value: bool) -> Value {
    Value {
        kind: Some(Kind::BoolValue(value)),
    }
}

/// Chooses a policy of these stages.
pub fn make(stages: impl IntoIterator<Item = PolicyStage>) -> PolicyChoice {
    choose(Policy {
        stages: stages.into_iter().collect(),
        ..Default::default()
    })
}

/// Chooses a policy that is written out.
pub fn choose(policy: Policy) -> PolicyChoice {
    PolicyChoice {
        choice: Some(Choice::Policy(policy)),
    }
}

fn stage(name: &str, select: Select) -> PolicyStage {
    PolicyStage {
        name: name.to_owned(),
        select: Some(select),
        ..Default::default()
    }
}

/// Removes the oldest units until the limits hold.
pub fn drop_oldest(name: &str, limits: DropOldest) -> PolicyStage {
    stage(name, Select::DropOldest(limits))
}

/// Keeps the newest units.
pub fn keep_last(name: &str, unit_count: i32) -> PolicyStage {
    stage(
        name,
        Select::KeepLast(KeepLast {
            unit_count: Some(unit_count),
        }),
    )
}

/// Takes units from the newest backwards while they fit a budget.
pub fn pack_newest(name: &str, budget: PackNewest) -> PolicyStage {
    stage(name, Select::PackNewest(budget))
}

/// Keeps the first and the newest messages and removes those between.
pub fn pin_middle_recent(name: &str, ends: PinMiddleRecent) -> PolicyStage {
    stage(name, Select::PinMiddleRecent(ends))
}

/// Keeps only what meets all conditions, which are written in CEL.
pub fn filter<'a>(name: &str, conditions: impl IntoIterator<Item = &'a str>) -> PolicyStage {
    let conditions = conditions.into_iter().map(str::to_owned).collect();
    stage(
        name,
        Select::Filter(Filter {
            conditions,
            ..Default::default()
        }),
    )
}

/// Cuts long contents down.
pub fn shorten(name: &str, what: Shorten) -> PolicyStage {
    stage(name, Select::Shorten(what))
}

/// Removes messages that say nearly the same as a newer one.
pub fn drop_duplicates(name: &str, likeness: DropDuplicates) -> PolicyStage {
    stage(name, Select::DropDuplicates(likeness))
}
