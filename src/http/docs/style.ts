/**
 * Additions to Swagger UI's style sheet: a calmer page, no server menu with a single entry, tables that fit a phone, and
 * enough contrast in dark mode.
 */
export const STYLE = `:root {
  color-scheme: light;
  --ground: #fafafa;
  --text: #24292f;
  --quiet: #57606a;
  --accent: #2f7d4f;
  --line: #d8dee4;
}
@media (prefers-color-scheme: dark) {
  :root {
    color-scheme: dark;
    --ground: #1c2022;
    --text: #e4e6e6;
    --quiet: #a8b0b5;
    --accent: #6fcf97;
    --line: #3a4144;
  }
}

html { background: var(--ground); }
body { margin: 0; }
body, .swagger-ui, .swagger-ui :is(.info, .markdown, .opblock, .opblock-tag, .btn, label, select, input, table, h1, h2, h3, h4, h5, p, li, td, th, .title) {
  font-family: system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
.swagger-ui .wrapper { max-width: 64rem; }
footer { box-sizing: border-box; max-width: 64rem; margin: 0 auto; padding: 1rem 20px 3rem; color: var(--quiet); font-size: 14px; }
footer a { color: var(--accent); margin-right: 1rem; }
noscript { display: block; padding: 2rem; color: var(--text); }

/* The header: title, description, then authorization. */
.swagger-ui .info { margin: 2.5rem 0 1.5rem; }
.swagger-ui .info hgroup.main { margin: 0 0 1rem; }
.swagger-ui .info hgroup.main > a { display: none; } /* the footer has this link */
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background-color: var(--accent); }
.swagger-ui .info :is(p, li) { font-size: 15px; line-height: 1.55; }
.swagger-ui .info .markdown p { margin: 0.6em 0; }
:root .swagger-ui .scheme-container { margin: 0 0 1rem; padding: 0 0 1rem; background: none; box-shadow: none; }
.swagger-ui .scheme-container .schemes > .schemes-server-container { display: none; } /* there is only one server */
.swagger-ui .scheme-container .schemes .auth-wrapper { justify-content: flex-start; }
.swagger-ui .auth-wrapper .authorize { margin: 0; }
.swagger-ui .btn.authorize { border-color: var(--accent); color: var(--accent); }
html:root .swagger-ui .auth-wrapper .btn.authorize svg { fill: var(--accent); }
.swagger-ui .auth-container .wrapper { padding: 0; }
.swagger-ui .auth-container input:is([type=text], [type=password]) { width: 100%; max-width: none; box-sizing: border-box; }

/* The operations. */
.swagger-ui .opblock-tag { border-bottom-color: var(--line); }
.swagger-ui .opblock { box-shadow: none; border-radius: 8px; }
.swagger-ui .opblock .opblock-section-header { box-shadow: none; }
.swagger-ui .execute-wrapper, .swagger-ui .btn-group { padding-top: 0; }
.swagger-ui textarea { min-height: 9rem; font-size: 13px; }
.swagger-ui .responses-table:not(:has(.response-col_links > :not(i), tbody .response-col_links a)) .response-col_links { display: none; }

/* Darker than Swagger UI's own colours, so that white text is readable. */
html:not(.dark-mode) .swagger-ui .opblock-get .opblock-summary-method { background: #1f6fb2; }
html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #2f7d4f; }
html:not(.dark-mode) .swagger-ui .opblock-put .opblock-summary-method { background: #9a5b0b; }
html:not(.dark-mode) .swagger-ui .opblock-patch .opblock-summary-method { background: #0f766e; }
html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #b3261e; }

/* Text that is unreadable in dark mode. */
.dark-mode .swagger-ui :is(.headers td, .headers th, .header-col, .examples__section-header, .examples-select__section-label, .parameter__type, .opblock-description-wrapper p, .model, .tab li, .tab li button.tablinks) { color: var(--text); }
.dark-mode .swagger-ui .model-title { color: var(--text); }

@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 12px; }
  footer { padding: 1rem 12px 2rem; }
  .swagger-ui .info .title { font-size: 28px; }
  .swagger-ui .info ul { padding-left: 1.2rem; }
  .swagger-ui :is(input, select, textarea) { font-size: 16px; max-width: 100%; } /* below that, a phone zooms in */

  .swagger-ui :is(.opblock-body, .responses-inner, .opblock-section-header) { padding-left: 10px; padding-right: 10px; }
  .swagger-ui .opblock-body { padding: 0; }
  .swagger-ui .opblock-section-header { flex-wrap: wrap; gap: 8px; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; word-break: break-word; }
  .swagger-ui .opblock-summary .view-line-link { display: none; }
  .swagger-ui .btn.try-out__btn { margin-left: 0; }
  .swagger-ui .opblock .tab-header .tab-item.active h4 span::after { display: none; }

  .swagger-ui :is(.responses-table, .parameters) { display: block; padding: 0; }
  .swagger-ui :is(.responses-table, .parameters) > thead { display: none; }
  .swagger-ui :is(.responses-table, .parameters) > tbody,
  .swagger-ui :is(.responses-table, .parameters) > tbody > tr,
  .swagger-ui :is(.responses-table, .parameters) > tbody > tr > td { display: block; width: auto; max-width: none; min-width: 0; }
  .swagger-ui .responses-table > tbody > tr { border-top: 1px solid var(--line); padding: 8px 0; }
  .swagger-ui .responses-table > tbody > tr > td { padding: 4px 0; }
  .swagger-ui .responses-table .response-col_status { font-weight: 700; }
  .swagger-ui .responses-table .response-col_links { display: none; }
  .swagger-ui .response-controls { flex-wrap: wrap; gap: 8px; padding-top: 4px; }
  .swagger-ui .response-controls > * { padding: 0; max-width: 100%; }

  .swagger-ui .dialog-ux .modal-ux { width: 94vw; min-width: 0; }
  .swagger-ui .dialog-ux .modal-ux-content { padding: 12px; }
  .swagger-ui section.models .model-container { margin: 0 8px 12px; overflow-x: auto; }
}
`;
