#include "latchkey_dashboard.h"

// This is in C, because Swift needs seconds to compile a literal of so many bytes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../Pages/index.html"
};
static const unsigned char style_css[] = {
#embed "../Pages/style.css"
};
static const unsigned char icon_svg[] = {
#embed "../Pages/icon.svg"
};
static const unsigned char api_js[] = {
#embed "../Pages/api.js"
};
static const unsigned char app_js[] = {
#embed "../Pages/app.js"
};
static const unsigned char axis_js[] = {
#embed "../Pages/axis.js"
};
static const unsigned char command_js[] = {
#embed "../Pages/command.js"
};
static const unsigned char dom_js[] = {
#embed "../Pages/dom.js"
};
static const unsigned char faults_js[] = {
#embed "../Pages/faults.js"
};
static const unsigned char fixtures_js[] = {
#embed "../Pages/fixtures.js"
};
static const unsigned char keys_js[] = {
#embed "../Pages/keys.js"
};
static const unsigned char log_js[] = {
#embed "../Pages/log.js"
};
static const unsigned char mail_js[] = {
#embed "../Pages/mail.js"
};
static const unsigned char objects_js[] = {
#embed "../Pages/objects.js"
};
static const unsigned char paging_js[] = {
#embed "../Pages/paging.js"
};
static const unsigned char races_js[] = {
#embed "../Pages/races.js"
};
static const unsigned char requests_js[] = {
#embed "../Pages/requests.js"
};
static const unsigned char routes_js[] = {
#embed "../Pages/routes.js"
};
static const unsigned char secrets_js[] = {
#embed "../Pages/secrets.js"
};
static const unsigned char sessions_js[] = {
#embed "../Pages/sessions.js"
};
static const unsigned char stream_js[] = {
#embed "../Pages/stream.js"
};
static const unsigned char tables_js[] = {
#embed "../Pages/tables.js"
};
static const unsigned char time_js[] = {
#embed "../Pages/time.js"
};
static const unsigned char timeline_js[] = {
#embed "../Pages/timeline.js"
};
static const unsigned char tokens_js[] = {
#embed "../Pages/tokens.js"
};
static const unsigned char trace_js[] = {
#embed "../Pages/trace.js"
};

static const struct latchkey_page pages[] = {
    {"index.html", index_html, sizeof index_html},
    {"style.css", style_css, sizeof style_css},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"api.js", api_js, sizeof api_js},
    {"app.js", app_js, sizeof app_js},
    {"axis.js", axis_js, sizeof axis_js},
    {"command.js", command_js, sizeof command_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"faults.js", faults_js, sizeof faults_js},
    {"fixtures.js", fixtures_js, sizeof fixtures_js},
    {"keys.js", keys_js, sizeof keys_js},
    {"log.js", log_js, sizeof log_js},
    {"mail.js", mail_js, sizeof mail_js},
    {"objects.js", objects_js, sizeof objects_js},
    {"paging.js", paging_js, sizeof paging_js},
    {"races.js", races_js, sizeof races_js},
    {"requests.js", requests_js, sizeof requests_js},
    {"routes.js", routes_js, sizeof routes_js},
    {"secrets.js", secrets_js, sizeof secrets_js},
    {"sessions.js", sessions_js, sizeof sessions_js},
    {"stream.js", stream_js, sizeof stream_js},
    {"tables.js", tables_js, sizeof tables_js},
    {"time.js", time_js, sizeof time_js},
    {"timeline.js", timeline_js, sizeof timeline_js},
    {"tokens.js", tokens_js, sizeof tokens_js},
    {"trace.js", trace_js, sizeof trace_js},
};

const struct latchkey_page *latchkey_dashboard(size_t *count) {
    *count = sizeof pages / sizeof pages[0];
    return pages;
}
