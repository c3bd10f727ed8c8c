//! Generates the code of the contract from the repository's proto/: messages and stubs, and for each
//! unary rpc the implementation of `Call` and a method of the client.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FileDescriptorSet};

const PACKAGE: &str = "memorysidecar.v1";

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    for folder in ["memorysidecar/v1", "memorysidecar/hook/v1"] {
        for entry in root.join(folder).read_dir()? {
            files.push(entry?.path());
        }
    }
    let descriptors = protox::compile(files, [root])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("calls.rs"), calls(&descriptors)?)?;
    tonic_prost_build::configure()
        .build_server(env::var_os("CARGO_FEATURE_SERVER").is_some())
        // A server implements what it serves; a new rpc breaks none.
        .generate_default_stubs(true)
        .compile_fds(descriptors)?;
    Ok(())
}

/// Writes the calls of the client.
fn calls(descriptors: &FileDescriptorSet) -> Result<String, std::fmt::Error> {
    let files = || {
        descriptors
            .file
            .iter()
            .filter(|file| file.package() == PACKAGE)
    };
    let messages: BTreeMap<&str, &DescriptorProto> = files()
        .flat_map(|file| &file.message_type)
        .map(|message| (message.name(), message))
        .collect();
    let mut traits = String::new();
    let mut methods = String::from("impl Client {\n");
    for service in files().flat_map(|file| &file.service) {
        for method in &service.method {
            if method.server_streaming() {
                continue;
            }
            let (rpc, service) = (method.name(), service.name());
            let request = method.input_type().rsplit('.').next().unwrap_or_default();
            let answer = method.output_type().rsplit('.').next().unwrap_or_default();
            // A plain text: neither optional nor of a oneof.
            let has = |name: &str| {
                messages[request].field.iter().any(|field| {
                    let is_text =
                        field.r#type() == Type::String && field.label() != Label::Repeated;
                    field.name() == name && is_text && field.oneof_index.is_none()
                })
            };
            let slot = |name: &str| {
                if has(name) {
                    format!("Some(&mut self.{name})")
                } else {
                    "None".into()
                }
            };
            let namespace = slot("namespace");
            let request_id = slot("request_id");
            let session_id = if has("session_id") {
                "&self.session_id"
            } else {
                "\"\""
            };
            write!(
                traits,
                "impl Call for v1::{request} {{
    type Answer = v1::{answer};
    const PATH: &'static str = \"/{PACKAGE}.{service}/{rpc}\";
    fn namespace(&mut self) -> Option<&mut String> {{ {namespace} }}
    fn request_id(&mut self) -> Option<&mut String> {{ {request_id} }}
    fn session_id(&self) -> &str {{ {session_id} }}
}}
"
            )?;
            let name = snake(rpc);
            write!(
                methods,
                "    /// Calls {service}.{rpc}.
    pub async fn {name}(&self, request: v1::{request}) -> Result<v1::{answer}, Error> {{
        self.call(request).await
    }}
"
            )?;
            if rpc.starts_with("List") && has("page_token") {
                list(&mut traits, request, messages[answer])?;
            }
        }
    }
    methods.push_str("}\n");
    Ok(traits + &methods)
}

/// Makes a list of a request whose answer has pages. Its items are its first repeated field.
fn list(traits: &mut String, request: &str, answer: &DescriptorProto) -> std::fmt::Result {
    let items = answer
        .field
        .iter()
        .find(|field| field.label() == Label::Repeated && field.r#type() == Type::Message);
    let Some(items) = items else { return Ok(()) };
    let item = items.type_name().rsplit('.').next().unwrap_or_default();
    let name = items.name();
    write!(
        traits,
        "impl List for v1::{request} {{
    type Item = v1::{item};
    fn page_token(&mut self) -> &mut String {{ &mut self.page_token }}
    fn page(answer: Self::Answer) -> (Vec<Self::Item>, String) {{
        (answer.{name}, answer.next_page_token)
    }}
}}
"
    )
}

/// The name of an rpc as the name of a method.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
