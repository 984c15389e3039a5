/** Many terms in one pass over a text: the automaton of Aho and Corasick. Linear in the text, whatever the terms. */
import type { MatchPlace } from '../matches.ts'

interface Node {
  readonly next: Map<number, Node>
  /** Code units of the beginning that it stands for. */
  readonly depth: number
  /** The node of the longest proper suffix that also begins a term. */
  suffix: Node | null
  /** Length of the term that ends here; 0 if none does. */
  length: number
  /** The nearest node over suffixes at which a term ends. */
  shorter: Node | null
}

export interface TermMatcher {
  /** Finds, at each place where terms end, the longest one that `accepts` takes; open, if a longer one may follow. */
  find(text: string, accepts: (place: MatchPlace) => boolean): readonly MatchPlace[]
  /** For a text that grows. */
  follow(): TermFollower
}

/** Says of a text that grows how much of its end begins a term. */
export interface TermFollower {
  /** More of it. Returns how many code units at its end begin a term, or are one. */
  pending(more: string): number
  /** Code units since the last end of a term. */
  readonly since: number
}

const node = (depth: number): Node => ({
  next: new Map(),
  depth,
  suffix: null,
  length: 0,
  shorter: null,
})

/** A matcher for these terms, unit by unit as they are: fold the case of both sides before. */
export function createTermMatcher(terms: readonly string[]): TermMatcher {
  const root = node(0)
  for (const term of terms) insert(root, term)
  link(root)
  const begins = beginningsOf(root)
  const find = (text: string, accepts: (place: MatchPlace) => boolean): readonly MatchPlace[] => {
    const found: MatchPlace[] = []
    let current = root
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      if (current === root && !begins(unit)) continue
      current = step(root, current, unit)
      let ending = current.length > 0 ? current : current.shorter
      for (; ending !== null; ending = ending.shorter) {
        const place = { start: at + 1 - ending.length, end: at + 1 }
        if (!accepts(place)) continue
        found.push(place)
        break
      }
    }
    const open = text.length - current.depth
    return found.map((place) => (place.start >= open ? { ...place, open: true } : place))
  }
  return { find, follow: () => new Follower(root, begins) }
}

/** Does a term begin with this code unit? */
type Begins = (unit: number) => boolean

/** Most characters of a text begin none. */
function beginningsOf(root: Node): Begins {
  const ascii = Uint8Array.from({ length: 0x80 }, (_, unit) => (root.next.has(unit) ? 1 : 0))
  return (unit) => (unit < 0x80 ? ascii[unit] === 1 : root.next.has(unit))
}

class Follower implements TermFollower {
  readonly #root: Node
  readonly #begins: Begins
  #current: Node
  since = Infinity

  constructor(root: Node, begins: Begins) {
    this.#root = root
    this.#begins = begins
    this.#current = root
  }

  pending(more: string): number {
    const root = this.#root
    const begins = this.#begins
    let current = this.#current
    for (let at = 0; at < more.length; at += 1) {
      const unit = more.charCodeAt(at)
      if (current === root && !begins(unit)) {
        this.since += 1
        continue
      }
      current = step(root, current, unit)
      this.since = current.length > 0 || current.shorter !== null ? 0 : this.since + 1
    }
    this.#current = current
    return current.depth
  }
}

function insert(root: Node, term: string): void {
  let current = root
  for (let at = 0; at < term.length; at += 1) {
    const unit = term.charCodeAt(at)
    const next = current.next.get(unit) ?? node(at + 1)
    current.next.set(unit, next)
    current = next
  }
  current.length = term.length
}

/** Breadth first, so that the suffixes of a node are linked before it. */
function link(root: Node): void {
  const queue: Node[] = [root]
  for (const parent of queue)
    for (const [unit, child] of parent.next) {
      child.suffix = parent === root ? root : step(root, parent.suffix ?? root, unit)
      child.shorter = child.suffix.length > 0 ? child.suffix : child.suffix.shorter
      queue.push(child)
    }
}

function step(root: Node, from: Node, unit: number): Node {
  for (let current: Node | null = from; current !== null; current = current.suffix) {
    const next = current.next.get(unit)
    if (next) return next
  }
  return root
}
