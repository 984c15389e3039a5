/** How the pages look: one style for all of them, light or dark as the reader has it. */
export const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #0a7; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: .95rem; margin: 1rem 0 .25rem; }
p, ul { margin: .5rem 0; }
code, pre, .method { font: 13px/1.5 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; overflow: auto; max-height: 28rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
details { border: 1px solid var(--line); border-radius: 6px; margin: .35rem 0; padding: 0 .8rem; }
details[open] { padding-bottom: .8rem; }
summary { cursor: pointer; padding: .4rem 0; }
nav a { display: inline-block; margin: 0 .8rem .2rem 0; }
a { color: inherit; text-decoration-color: var(--accent); text-underline-offset: 2px; }
.method { display: inline-block; min-width: 4.2rem; font-weight: 600; }
.soft { opacity: .7; }
.good::before, .bad::before { content: "●"; margin-right: .4rem; }
.good::before { color: #0a7; }
.bad::before { color: #d33; }
`
