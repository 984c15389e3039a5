import { dirname, relative } from 'node:path'

import { moduleSpecifiers } from '../module-specifiers.ts'

/** Where a workspace specifier leads: `@signalbox/core` → absolute path of the compiled `.js` below `dist/`. */
export type Doors = ReadonlyMap<string, string>

/**
 * One compiled file, made to stand alone: workspace specifiers become relative paths, `.ts` becomes `.js`, and references to
 * source maps go, because the sources are not shipped.
 *
 * @throws Error on a workspace specifier that no package exports.
 */
export function rewrite(target: string, compiled: string, doors: Doors): string {
  let text = compiled
  for (const { value, start, end } of moduleSpecifiers(target, compiled).toReversed()) {
    text = `${text.slice(0, start)}'${resolved(target, value, doors)}'${text.slice(end)}`
  }
  return text
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '')
    .replace(/new URL\((['"])(\.[^'"]+)\.ts\1, import\.meta\.url\)/g, (_, quote, path) => {
      return `new URL(${quote}${path}.js${quote}, import.meta.url)`
    })
}

function resolved(target: string, specifier: string, doors: Doors): string {
  if (specifier.startsWith('.')) return specifier.replace(/\.ts$/, '.js')
  const door = doors.get(specifier)
  if (door === undefined) {
    if (/^(@signalbox\/|signalbox$)/.test(specifier)) {
      throw new Error(`${target}: no package of the workspace exports ${specifier}`)
    }
    return specifier
  }
  const path = relative(dirname(target), door).replaceAll('\\', '/')
  return path.startsWith('.') ? path : `./${path}`
}
