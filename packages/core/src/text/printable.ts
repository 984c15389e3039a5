// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g

/** Text of models, tools and files as a terminal may have it: no control sequences, which could rewrite the screen. */
export const printable = (text: string): string => text.replaceAll(controls, '')

/** The same on one line of at most `max` characters. */
export function oneLine(text: string, max: number): string {
  const line = printable(text).replaceAll(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`
}
