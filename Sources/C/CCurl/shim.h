#pragma once
#include <curl/curl.h>

// Swift cannot call variadic functions: one inline function per argument type that libcurl
// documents.

static inline CURLcode latchkey_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode latchkey_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode latchkey_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode latchkey_curl_set_pointer(
    CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode latchkey_curl_set_callback(
    CURL *handle, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode latchkey_curl_set_trace(
    CURL *handle, curl_debug_callback value, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, value);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_DEBUGDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_VERBOSE, 1L);
    return code;
}

static inline CURLcode latchkey_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode latchkey_curl_keep_connections(CURLM *multi, long count) {
    return curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, count);
}

static inline CURLcode latchkey_curl_set_open_socket(
    CURL *handle, curl_opensocket_callback value, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
    return code;
}

// Swift does not import macros with arithmetic.
static inline CURLcode latchkey_curl_start(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}
