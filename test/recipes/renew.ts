/**
 * `node test/recipes/renew.ts <recipe>`: makes the patch of a recipe anew for the commit that is checked out. It is merged into a working tree of its
 * own; where that meets conflicts, resolve them there and give the folder as second argument. The same writes a patch that was changed there.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { patchPath, recipes, root } from './recipe.ts'

const [name, given] = process.argv.slice(2)
const recipe = recipes.find((each) => each.name === name)
if (!recipe) {
  const names = recipes.map((each) => each.name).join(', ')
  console.error(`Usage: node test/recipes/renew.ts <recipe> [folder]. Recipes: ${names}.`)
  process.exit(2)
}

const folder = given ?? mkdtempSync(join(tmpdir(), `signalbox-${recipe.name}-`))
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd, encoding: 'utf8' })

if (given === undefined) {
  git(root, 'worktree', 'add', '--detach', folder, 'HEAD')
  const merged = spawnSync('git', ['apply', '--3way', patchPath(recipe)], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (merged.status !== 0) {
    console.error(
      `Resolve the conflicts in ${folder}, then run: node test/recipes/renew.ts ${recipe.name} ${folder}`,
    )
    process.exit(1)
  }
}
git(folder, 'add', '--all')
const patch = git(folder, 'diff', '--cached', '--full-index', '-U1', 'HEAD')
writeFileSync(patchPath(recipe), patch)
git(root, 'worktree', 'remove', '--force', folder)
console.log(patchPath(recipe))
