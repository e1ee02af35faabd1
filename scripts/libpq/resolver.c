// Replacements for two glibc functions that libpq calls, which load shared libraries of glibc's own
// version even in a static executable.
#include <ares.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>

// A connection attempt has 2.5 seconds.
static const int tries_max = 2;
static const int try_milliseconds_max = 600;

struct answer {
  int status;
  struct addrinfo *first;
};

void latchkey_freeaddrinfo(struct addrinfo *entry) {
  while (entry != NULL) {
    struct addrinfo *next = entry->ai_next;
    free(entry);
    entry = next;
  }
}

// Entry and address are in one block, because `latchkey_freeaddrinfo` frees one block.
static struct addrinfo *copy_of(const struct ares_addrinfo_node *node) {
  struct addrinfo *entry = calloc(1, sizeof *entry + node->ai_addrlen);
  if (entry == NULL) return NULL;
  entry->ai_family = node->ai_family;
  entry->ai_socktype = SOCK_STREAM;
  entry->ai_protocol = IPPROTO_TCP;
  entry->ai_addrlen = node->ai_addrlen;
  entry->ai_addr = (struct sockaddr *)(entry + 1);
  memcpy(entry->ai_addr, node->ai_addr, node->ai_addrlen);
  return entry;
}

static void take(void *context, int status, int timeouts, struct ares_addrinfo *result) {
  (void)timeouts;
  struct answer *answer = context;
  answer->status = status;
  struct addrinfo **end = &answer->first;
  for (struct ares_addrinfo_node *node = result != NULL ? result->nodes : NULL; node != NULL;
       node = node->ai_next) {
    if ((*end = copy_of(node)) != NULL) end = &(*end)->ai_next;
  }
  if (result != NULL) ares_freeaddrinfo(result);
}

static void wait_for(ares_channel channel) {
  for (;;) {
    fd_set readable, writable;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    int count = ares_fds(channel, &readable, &writable);
    if (count == 0) return;
    struct timeval limit;
    struct timeval *left = ares_timeout(channel, NULL, &limit);
    if (select(count, &readable, &writable, NULL, left) < 0 && errno != EINTR) return;
    ares_process(channel, &readable, &writable);
  }
}

int latchkey_getaddrinfo(
    const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  *result = NULL;
  ares_channel channel;
  struct ares_options options = {.timeout = try_milliseconds_max, .tries = tries_max};
  if (ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS) return EAI_FAIL;
  if (ares_init_options(&channel, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES) != ARES_SUCCESS)
    return EAI_FAIL;
  struct ares_addrinfo_hints wanted = {
      .ai_flags = ARES_AI_NUMERICSERV,
      .ai_family = hints != NULL ? hints->ai_family : AF_UNSPEC,
      .ai_socktype = SOCK_STREAM,
      .ai_protocol = IPPROTO_TCP,
  };
  struct answer answer = {.status = ARES_ENOTFOUND};
  ares_getaddrinfo(channel, name, service, &wanted, take, &answer);
  wait_for(channel);
  // This also calls the callbacks of unfinished queries.
  ares_destroy(channel);
  ares_library_cleanup();
  if (answer.first != NULL) {
    *result = answer.first;
    return 0;
  }
  switch (answer.status) {
    case ARES_ENOMEM: return EAI_MEMORY;
    case ARES_ETIMEOUT: case ARES_ECONNREFUSED: return EAI_AGAIN;
    default: return EAI_NONAME;
  }
}

// Reports no entry: Latchkey needs no home directory, and always names its database user.
int latchkey_getpwuid_r(
    uid_t user, struct passwd *entry, char *buffer, size_t size, struct passwd **result) {
  (void)user;
  (void)entry;
  (void)buffer;
  (void)size;
  *result = NULL;
  return 0;
}
