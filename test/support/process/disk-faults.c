/*
 * Fails writes and flushes of data.mdb, also while it is made as data.mdb.new, and of redo.log, as a broken disk does.
 * Preloaded into a server:
 *
 *   DISK_FAULT_AT     the first call that fails, counted from 1 at the start of the process
 *   DISK_FAULT_ERRNO  the number of the error
 *   DISK_FAULT_KEEP   set when every later call fails too
 *   DISK_FAULT_SAID   a file that is made when a call has failed
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

static int is_store(int fd) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  const char *name = strrchr(path, '/');
  return name != NULL && (strncmp(name, "/data.mdb", 9) == 0 || strcmp(name, "/redo.log") == 0);
}

static int fails(void) {
  const char *at = getenv("DISK_FAULT_AT"), *said = getenv("DISK_FAULT_SAID");
  if (at == NULL) return 0;
  long call = atomic_fetch_add(&calls, 1) + 1, first = atol(at);
  if (call < first || (call > first && getenv("DISK_FAULT_KEEP") == NULL)) return 0;
  if (said != NULL) close(open(said, O_CREAT | O_WRONLY, 0600));
  errno = atoi(getenv("DISK_FAULT_ERRNO"));
  return 1;
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  REAL(pwrite64);
  return is_store(fd) && fails() ? -1 : real(fd, data, size, at);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  REAL(pwritev64);
  return is_store(fd) && fails() ? -1 : real(fd, parts, count, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  return is_store(fd) && fails() ? -1 : real(fd, parts, count);
}

ssize_t write(int fd, const void *data, size_t size) {
  REAL(write);
  return is_store(fd) && fails() ? -1 : real(fd, data, size);
}

int fsync(int fd) {
  REAL(fsync);
  return is_store(fd) && fails() ? -1 : real(fd);
}

int fdatasync(int fd) {
  REAL(fdatasync);
  return is_store(fd) && fails() ? -1 : real(fd);
}

int msync(void *start, size_t size, int flags) {
  REAL(msync);
  return fails() ? -1 : real(start, size, flags);
}
