// A server of object storage over the folder of its first argument, on a free port, which it prints.
// It runs until it is killed.

import S3rver from "s3rver";

const server = new S3rver({
  address: "127.0.0.1",
  port: 0,
  silent: true,
  directory: process.argv[2],
  configureBuckets: [{ name: "backups", configs: [] }],
});
const { port } = await server.run();
console.log(port);
