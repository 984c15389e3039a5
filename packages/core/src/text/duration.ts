/** A time span as people say it, in its two largest units: `40s`, `5m`, `2h 10m`, `6d 23h`. Milliseconds, from 0. */
export function duration(ms: number): string {
  const s = Math.floor(Math.max(0, ms) / 1000)
  if (s < 60) return `${s}s`
  const [m, h, d] = [Math.floor(s / 60), Math.floor(s / 3600), Math.floor(s / 86_400)]
  if (h < 1) return `${m}m`
  if (d < 1) return pair([h, 'h'], [m % 60, 'm'])
  return pair([d, 'd'], [h % 24, 'h'])
}

type Part = readonly [number, string]

const pair = ([large, its]: Part, [small, other]: Part): string =>
  small === 0 ? `${large}${its}` : `${large}${its} ${small}${other}`
