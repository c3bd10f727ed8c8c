// Small byte arrays that share large buffers. An ArrayBuffer of its own costs more than the bytes
// of a small record: an allocation outside the heap, and work for the collector until it is freed.
// A piece keeps its whole buffer in memory, so pieces of one slab should be done with at about the
// same time.

/** Gives out pieces of large buffers. */
export class Slab {
  private readonly size: number;
  private buffer: Buffer<ArrayBuffer>;
  private position = 0;

  constructor(size: number) {
    this.size = size;
    this.buffer = Buffer.allocUnsafeSlow(size);
  }

  /** A piece that nobody else has; its bytes are not cleared. */
  take(bytes: number): Buffer<ArrayBuffer> {
    if (bytes > this.size >> 2) {
      return Buffer.allocUnsafeSlow(bytes);
    }
    if (this.position + bytes > this.size) {
      this.buffer = Buffer.allocUnsafeSlow(this.size);
      this.position = 0;
    }
    const start = this.position;
    this.position += bytes;
    return this.buffer.subarray(start, this.position);
  }
}
