/* The baseline: libcurl in C, as fast as possible, on one thread, without an allocation between requests.
 *
 * It has the command line of every row and prints the same line; see Row/Work.swift.
 */
#include <curl/curl.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* The kinds of work: `get` and `decode` collect the body in GET, `discard` and `stream` drop it in DISCARD. */
enum workload { GET, DISCARD, TO_FILE, PUT, FORM };

struct transfer {
  CURL *easy;
  char *body;
  size_t length, capacity;
  int descriptor;
  off_t offset, size;
};

struct work {
  enum workload workload;
  const char *url, *path;
  long count, concurrency, warm;
  CURLM *multi;
  CURLU *parts;
  struct curl_slist *fields;
  struct transfer *transfers;
};

static void fail(const char *what) {
  fprintf(stderr, "raw-curl: %s\n", what);
  exit(1);
}

static size_t collect(char *bytes, size_t one, size_t count, void *context) {
  struct transfer *transfer = context;
  if (transfer->length + count > transfer->capacity) {
    transfer->capacity = (transfer->length + count) * 2;
    transfer->body = realloc(transfer->body, transfer->capacity);
    if (!transfer->body) fail("no memory");
  }
  memcpy(transfer->body + transfer->length, bytes, count);
  transfer->length += count;
  return count;
}

static size_t discard(char *bytes, size_t one, size_t count, void *context) {
  ((struct transfer *)context)->length += count;
  return count;
}

static size_t to_file(char *bytes, size_t one, size_t count, void *context) {
  struct transfer *transfer = context;
  if (pwrite(transfer->descriptor, bytes, count, transfer->offset) != (ssize_t)count) fail("cannot write");
  transfer->offset += count;
  return count;
}

static size_t from_file(char *bytes, size_t one, size_t count, void *context) {
  struct transfer *transfer = context;
  ssize_t got = pread(transfer->descriptor, bytes, count, transfer->offset);
  if (got < 0) fail("cannot read");
  transfer->offset += got;
  return got;
}

static size_t ignore_line(char *bytes, size_t one, size_t count, void *context) { return count; }

static void set_connection(CURL *easy, int isSecure) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  /* Resolved names never expire, so that libcurl does not search for expired names at each request. */
  curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 128L * 1024);
  /* With a folder of certificates, Debian's default, libcurl caches none and reads all of them for each connection. */
  if (!getenv("LUPINE_DEFAULT_CAPATH")) curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
  if (getenv("LUPINE_CA")) curl_easy_setopt(easy, CURLOPT_CAINFO, getenv("LUPINE_CA"));
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, isSecure ? 1L : 0L);
}

/* The form that `curl -F` sends for ten files, each of them the file at `path`; the upload buffer is larger. */
static curl_mime *form(CURL *easy, const char *path) {
  curl_mime *form = curl_mime_init(easy);
  for (char name[] = "file0"; name[4] <= '9'; name[4]++) {
    curl_mimepart *part = curl_mime_addpart(form);
    curl_mime_name(part, name);
    if (curl_mime_filedata(part, path)) fail("the file cannot be read");
  }
  return form;
}

static void set_bodies(struct transfer *transfer, struct work *work) {
  CURL *easy = transfer->easy;
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  if (work->workload == PUT || work->workload == FORM) curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256L * 1024);
  switch (work->workload) {
  case DISCARD: break;
  case GET: curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, collect); break;
  case TO_FILE:
    transfer->descriptor = open(work->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, to_file);
    break;
  case PUT: {
    struct stat facts;
    transfer->descriptor = open(work->path, O_RDONLY);
    if (fstat(transfer->descriptor, &facts)) fail("the file cannot be read");
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, from_file);
    curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)facts.st_size);
    break;
  }
  case FORM: curl_easy_setopt(easy, CURLOPT_MIMEPOST, form(easy, work->path)); break;
  }
}

static void set_up(struct transfer *transfer, struct work *work) {
  CURL *easy = transfer->easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_CURLU, work->parts);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, work->fields);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, ignore_line);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
  set_connection(easy, !strncmp(work->url, "https:", 6));
  set_bodies(transfer, work);
}

static void finish(struct work *work, CURLMsg *message, long *unstarted) {
  CURL *easy = message->easy_handle;
  struct transfer *transfer = NULL;
  long status = 0;
  if (message->data.result != CURLE_OK) fail(curl_easy_strerror(message->data.result));
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  if (status < 200 || status > 299) fail("a status that is no success");
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
  curl_multi_remove_handle(work->multi, easy);
  transfer->length = 0;
  transfer->offset = 0;
  if (*unstarted == 0) return;
  (*unstarted)--;
  curl_multi_add_handle(work->multi, easy);
}

/* Makes `count` requests, `concurrency` of them at a time. */
static void make(struct work *work, long count) {
  long unfinished = count, unstarted = count;
  for (long index = 0; index < work->concurrency && unstarted > 0; index++, unstarted--) {
    curl_multi_add_handle(work->multi, work->transfers[index].easy);
  }
  while (unfinished > 0) {
    int running = 0, left = 0, ended = 0;
    CURLMsg *message;
    curl_multi_perform(work->multi, &running);
    while ((message = curl_multi_info_read(work->multi, &left))) {
      if (message->msg != CURLMSG_DONE) continue;
      finish(work, message, &unstarted);
      unfinished--;
      ended++;
    }
    if (!ended) curl_multi_poll(work->multi, NULL, 0, 1000, NULL);
  }
}

/* Makes `count` requests at once, whose responses are delayed; their connections stay idle in the multi handle. */
static void leave_idle(struct work *work, const char *url, long count) {
  struct work opening = *work;
  opening.workload = DISCARD;
  opening.concurrency = count;
  opening.parts = curl_url();
  if (curl_url_set(opening.parts, CURLUPART_URL, url, 0)) fail("the URL is none");
  opening.transfers = calloc(count, sizeof *opening.transfers);
  for (long index = 0; index < count; index++) set_up(&opening.transfers[index], &opening);
  make(&opening, count);
  for (long index = 0; index < count; index++) curl_easy_cleanup(opening.transfers[index].easy);
  free(opening.transfers);
  curl_url_cleanup(opening.parts);
}

struct cost {
  double cpu, wall;
  long peak;
};

/* The peak memory in kilobytes. `ru_maxrss` would include the memory of the process before exec. */
static long peak(void) {
  char line[256];
  long kilobytes = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status) && sscanf(line, "VmHWM: %ld", &kilobytes) != 1) continue;
  if (status) fclose(status);
  return kilobytes;
}

static struct cost cost(void) {
  struct timespec now;
  struct rusage usage;
  clock_gettime(CLOCK_MONOTONIC, &now);
  getrusage(RUSAGE_SELF, &usage);
  return (struct cost){
      usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
      now.tv_sec + now.tv_nsec / 1e9, peak()};
}

static enum workload workload(const char *name) {
  if (!strcmp(name, "get") || !strcmp(name, "decode")) return GET;
  if (!strcmp(name, "discard") || !strcmp(name, "stream")) return DISCARD;
  if (!strcmp(name, "file")) return TO_FILE;
  if (!strcmp(name, "form")) return FORM;
  if (strcmp(name, "put") && strcmp(name, "put-stream")) fail("no such workload");
  return PUT;
}

/* The field `Host`. An empty field comes first, so that libcurl does not build its own field for each request; libcurl
 * sends the second field like any other. */
static struct curl_slist *host(CURLU *parts) {
  char *name = NULL, *port = NULL, line[512];
  if (curl_url_get(parts, CURLUPART_HOST, &name, 0) || curl_url_get(parts, CURLUPART_PORT, &port, 0)) fail("no host");
  snprintf(line, sizeof line, "Host: %s:%s", name, port);
  curl_free(name);
  curl_free(port);
  return curl_slist_append(curl_slist_append(NULL, "Host:"), line);
}

/* The fields that a session sends by default, so that every row writes the same bytes: libcurl spends some seventy
 * instructions on each. */
static struct curl_slist *fields(CURLU *parts) {
  char agent[512];
  struct utsname system;
  uname(&system);
  snprintf(
      agent, sizeof agent, "User-Agent: lupine-row/Unknown (%s %s; %s) Lupine/0.1.0", system.sysname, system.release,
      system.machine);
  struct curl_slist *list = curl_slist_append(host(parts), agent);
  list = curl_slist_append(list, "Accept:");
  return curl_slist_append(list, "Expect:");
}

/* libcurl allocates and frees a buffer of 128 KiB for each request. By default, malloc would return this memory to the
 * kernel and request it again: 0.4 calls of brk and one page fault for each request with 64 in flight. */
static void keep_memory(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

int main(int argc, char **argv) {
  keep_memory();
  if (argc < 6) fail("raw-curl WORKLOAD URL COUNT CONCURRENCY WARM [FILE]");
  curl_global_init(CURL_GLOBAL_DEFAULT);
  struct work work = {
      .workload = workload(argv[1]), .url = argv[2], .count = atol(argv[3]), .concurrency = atol(argv[4]),
      .warm = atol(argv[5]), .path = argc > 6 ? argv[6] : "", .multi = curl_multi_init(), .parts = curl_url()};
  if (curl_url_set(work.parts, CURLUPART_URL, work.url, 0)) fail("the URL is none");
  work.fields = fields(work.parts);
  long idle = getenv("LUPINE_IDLE") ? atol(getenv("LUPINE_IDLE")) : 0;
  curl_multi_setopt(work.multi, CURLMOPT_MAXCONNECTS, work.concurrency + idle + 8);
  if (idle > 0) leave_idle(&work, getenv("LUPINE_IDLE_URL"), idle);
  work.transfers = calloc(work.concurrency, sizeof *work.transfers);
  for (long index = 0; index < work.concurrency; index++) set_up(&work.transfers[index], &work);
  make(&work, work.warm);
  struct cost before = cost();
  make(&work, work.count);
  struct cost after = cost();
  printf("{\"requests\": %ld, \"cpu\": %.6f, \"wall\": %.6f, \"peak\": %ld}\n", work.count, after.cpu - before.cpu,
         after.wall - before.wall, after.peak);
  return 0;
}
