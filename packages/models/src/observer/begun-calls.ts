/**
 * The client tool calls that began on the wire, told apart without the help of a package: the packages guess where a piece
 * belongs, drop what they cannot place, and make a second call of a chunk that a server repeats. What they hand out must be
 * exactly these calls. Time and memory are linear in the stream.
 */
import { parseJson } from '../read.ts'
import { shortText } from '../text.ts'

export interface BegunCall {
  /** As the wire names it; undefined where it does not. */
  readonly id: string | undefined
  readonly name: string
}

/** A piece of a call on the chat wire. */
export interface CallPiece {
  /** Where the call stands among others: its choice and its index. */
  readonly place: string
  readonly id: string | undefined
  readonly name: string | undefined
  readonly args: string
  /** The piece names an index. */
  readonly isIndexed: boolean
}

/** Calls that share a choice and an index. */
interface Place {
  calls: number
  readonly names: Set<string>
  /** Arguments of the newest call, in pieces. */
  args: string[]
  /** The newest call went on after a whole value: it will never be one. */
  isSpoilt: boolean
  /** Pieces came that name no call. */
  isLoose: boolean
  /** Names and first arguments, to know a piece that comes twice. */
  readonly beginnings: Set<string>
}

export class BegunCalls {
  readonly #begun = new Map<string, BegunCall>()
  readonly #ids = new Set<string>()
  readonly #places = new Map<string, Place>()
  readonly #chunks = new Set<string>()
  #isRepeated = false
  #isAmbiguous = false
  #argumentChars = 0

  /** A call has begun. The key tells calls apart within the stream; a second call under it is the same call. */
  start(key: string, name: string, id?: string): void {
    if (this.#begun.has(key)) return
    if (id !== undefined && this.#ids.has(id)) this.#isRepeated = true
    if (id !== undefined) this.#ids.add(id)
    this.#begun.set(key, { id, name: shortText(name) })
  }

  /** A piece of a call, of which index, id and name may be missing, or be there again. */
  piece(piece: CallPiece): void {
    const { id, name, args } = piece
    this.#argumentChars += args.length
    const place = this.#placeOf(piece.place)
    const key = id === undefined ? `${piece.place}#${place.calls}` : piece.place + id
    if (name !== undefined && this.#isStart(piece, place)) {
      if (!this.#begun.has(key)) {
        this.start(key, name, id)
        place.calls += 1
        place.names.add(name)
        place.args = [args]
        place.isSpoilt = false
        this.#isAmbiguous ||= place.isLoose && place.calls > 1
      }
      place.beginnings.add(`${name}\u0000${args}`)
      return
    }
    if (id === undefined) place.isLoose = true
    this.#isAmbiguous ||= place.isLoose && place.calls > 1
    if (isStructured(args) && endsValue(place.args)) place.isSpoilt = true
    if (args !== '') place.args.push(args)
  }

  /** A chunk in which calls without ids begin: the same one twice is a repetition. */
  chunk(source: string): void {
    if (this.#chunks.has(source)) this.#isRepeated = true
    this.#chunks.add(source)
  }

  get list(): readonly BegunCall[] {
    return [...this.#begun.values()]
  }
  /** How many calls have begun. */
  get size(): number {
    return this.#begun.size
  }
  /** One id stands in two places. */
  get isRepeated(): boolean {
    return this.#isRepeated
  }
  /** Arguments came that could belong to either of two calls. */
  get isAmbiguous(): boolean {
    return this.#isAmbiguous
  }
  /** Characters of the arguments of all pieces together. */
  get argumentChars(): number {
    return this.#argumentChars
  }

  #placeOf(name: string): Place {
    const known = this.#places.get(name)
    if (known) return known
    const place: Place = {
      calls: 0,
      names: new Set(),
      args: [],
      isSpoilt: false,
      isLoose: false,
      beginnings: new Set(),
    }
    this.#places.set(name, place)
    return place
  }

  /**
   * Some servers repeat the name in later pieces of a call, others send several calls without ids under one index. Without
   * an id, a piece begins a call if its name is new there, or if its arguments begin anew after whole ones; the same piece
   * once more is a repetition, and begins none.
   */
  #isStart({ id, name = '', args, isIndexed }: CallPiece, place: Place): boolean {
    if (id !== undefined || place.calls === 0) return true
    if (place.beginnings.has(`${name}\u0000${args}`)) return false
    if (!isIndexed || !place.names.has(name)) return true
    return isStructured(args) && !place.isSpoilt && endsValue(place.args) && isWhole(place.args)
  }
}

const isStructured = (args: string): boolean => /^[ \t\r\n]{0,64}[{[]/.test(args)

const endsValue = (args: readonly string[]): boolean => /[}\]]$/.test(args.at(-1)?.slice(-1) ?? '')

const isWhole = (args: readonly string[]): boolean => parseJson(args.join('')) !== undefined
