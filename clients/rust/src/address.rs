//! The address of a server.

use std::net::IpAddr;
use std::path::{Path, absolute};

/// A host with its port, or the path of a Unix socket.
pub(crate) enum Address {
    Host { host: String, port: u16 },
    Socket(String),
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let path = text.strip_prefix("unix:").or_else(|| {
            ["/", "./", "../"]
                .iter()
                .any(|start| text.starts_with(start))
                .then_some(text)
        });
        let wrong =
            || format!("the address must be host:port, unix:/path or a path, not \"{text}\"");
        if let Some(path) = path {
            let path = absolute(Path::new(path)).map_err(|_| wrong())?;
            return Ok(Self::Socket(path.to_str().ok_or_else(wrong)?.to_owned()));
        }
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let is_bracketed = host.starts_with('[') && host.ends_with(']');
        let is_name = !host.is_empty() && !host.contains([':', '/', ' ', '[', ']', '@']);
        match port.parse() {
            Ok(port) if port > 0 && (is_bracketed || is_name) => Ok(Self::Host {
                host: host.to_owned(),
                port,
            }),
            _ => Err(wrong()),
        }
    }

    /// Says whether the address leads to this host.
    pub(crate) fn is_local(&self) -> bool {
        let Self::Host { host, .. } = self else {
            return true;
        };
        let bare = host.trim_matches(['[', ']']);
        bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    pub(crate) fn uri(&self, is_encrypted: bool) -> String {
        match self {
            Self::Socket(path) => format!("unix://{path}"),
            Self::Host { host, port } if is_encrypted => format!("https://{host}:{port}"),
            Self::Host { host, port } => format!("http://{host}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn tells_this_host_from_others() {
        for (text, is_local) in [
            ("localhost:1", true),
            ("127.0.0.1:50151", true),
            ("[::1]:50151", true),
            ("unix:/tmp/a.sock", true),
            ("./a.sock", true),
            ("memory.example:50151", false),
            ("10.0.0.7:50151", false),
            ("[2001:db8::1]:50151", false),
        ] {
            assert_eq!(
                Address::parse(text).expect(text).is_local(),
                is_local,
                "{text}"
            );
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "http://localhost:7437",
            "localhost",
            "",
            ":50151",
            "localhost:0",
            "a b:1",
        ] {
            let error = Address::parse(text).err().expect(text);
            assert!(
                error.starts_with("the address must be host:port"),
                "{error}"
            );
        }
    }
}
