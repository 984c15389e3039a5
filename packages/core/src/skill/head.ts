/** The head of a `SKILL.md`, between two lines of three hyphens, and the instructions behind it. */

/** A `SKILL.md` in its two parts. */
export interface SkillText {
  /** The lines between the marks, as YAML. */
  readonly head: string
  /** The text behind them, without blank lines around it. */
  readonly body: string
}

const mark = /^---[ \t]*$/

/** Null: the text does not begin with a head that ends. */
export function partsOfSkill(text: string): SkillText | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n/)
  if (!mark.test(lines[0] ?? '')) return null
  const end = lines.findIndex((line, n) => n > 0 && mark.test(line))
  if (end < 0) return null
  return {
    head: lines.slice(1, end).join('\n'),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  }
}
