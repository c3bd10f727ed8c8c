//! The messages and stubs of the contract, as prost and tonic generate them.

pub mod memorysidecar {
    pub mod v1 {
        tonic::include_proto!("memorysidecar.v1");
    }
    pub mod hook {
        pub mod v1 {
            tonic::include_proto!("memorysidecar.hook.v1");
        }
    }
}
