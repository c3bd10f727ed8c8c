//! Generates the code of the contract from the repository's proto/.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../proto");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    for folder in ["memorysidecar/v1", "memorysidecar/hook/v1"] {
        for entry in root.join(folder).read_dir()? {
            files.push(entry?.path());
        }
    }
    let descriptors = protox::compile(files, [root])?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
