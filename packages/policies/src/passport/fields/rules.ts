/** The rule of a limit about fields of a call, as data: which arguments it looks at, how it compares them, what it answers. */

import type { ArgumentName, RateWindow } from '@signalbox/core'

/** Names of arguments. A dotted name goes into objects and lists: `items.category`. */
export type Arguments = readonly ArgumentName[]

/** How the size of an argument is taken. A list counts its elements wherever a number of things is asked for. */
export type SizeMeasure = 'number' | 'chars' | 'words'

/** One limit of a table. `code` is the reason code of the refusal, without `oap.`. */
export type FieldRule =
  /** A list: every value must be in it. `*` allows any. */
  | { readonly is: 'allow'; readonly args: Arguments; readonly code: string }
  /** A list: no value may be in it. */
  | { readonly is: 'block'; readonly args: Arguments; readonly code: string }
  /** A list: the argument must hold all of it. */
  | { readonly is: 'all'; readonly args: Arguments; readonly code: string }
  /** A number that no value may exceed, or that no value may be below. */
  | {
      readonly is: 'most' | 'least'
      readonly args: Arguments
      readonly of: SizeMeasure
      readonly code: string
    }
  /** A number of seconds: no time in the argument may be older. */
  | { readonly is: 'age'; readonly args: Arguments; readonly code: string }
  /** A list of paths or patterns: every path must be below one of them. */
  | { readonly is: 'paths'; readonly args: Arguments; readonly code: string }
  /** A list of endings: every file must have one of them. */
  | { readonly is: 'endings'; readonly args: Arguments; readonly code: string }
  /** A list: both tokens of a pair such as `BTC/USD` must be in it. */
  | { readonly is: 'pair'; readonly args: Arguments; readonly code: string }
  /** A list: none of its texts may stand anywhere in these arguments. */
  | { readonly is: 'texts'; readonly args: Arguments; readonly code: string }
  /** A flag: if it is true, the argument must be there (`given`), be true (`yes`), or name somebody else (`other`). */
  | { readonly is: 'given' | 'yes' | 'other'; readonly args: Arguments; readonly code: string }
  /** A flag: if it is false, the argument must be absent or false. */
  | { readonly is: 'no'; readonly args: Arguments; readonly code: string }
  /** A number: calls of the run in the window. */
  | { readonly is: 'rate'; readonly window: RateWindow }
  /** A number: the sum of the argument over the calls of the run on one day. */
  | { readonly is: 'sum'; readonly args: Arguments; readonly code: string }
  /** `{ EUR: { max_per_tx, daily_cap } }` over `amount`, an integer in minor units, and `currency`. */
  | { readonly is: 'money' }
  /** `{ class: { allowed_entity_types, allowed_actions } }` over `data_classification`. */
  | { readonly is: 'classes' }
  /** `[{ id }]`: each must be attested as met, with evidence. */
  | { readonly is: 'criteria' }
  /** The least assurance level of the passport. */
  | { readonly is: 'level' }
  /** True: a person approves each call. */
  | { readonly is: 'approval' }
  /** A number or flag that is about another capability of the same pack, or is kept for every run. */
  | { readonly is: 'elsewhere' }

/** Limits of one capability by key. */
export type FieldTable = { readonly [key: string]: FieldRule }
