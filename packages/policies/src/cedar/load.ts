/** Cedar itself: an optional peer, loaded when the first definition needs it. */

/** The part of Cedar's WebAssembly build that we use. */
export type Cedar = Pick<
  typeof import('@cedar-policy/cedar-wasm/nodejs'),
  'preparsePolicySet' | 'preparseSchema' | 'statefulIsAuthorized' | 'validate'
>

/** The version to install, as the manifest's peer dependency says it. */
const cedarVersion = '^4.13.0'

/** Loads Cedar. Rejects with what to install when it is missing. */
export async function loadCedar(): Promise<Cedar> {
  try {
    return await import('@cedar-policy/cedar-wasm/nodejs')
  } catch (cause) {
    const what = `npm install @cedar-policy/cedar-wasm@${cedarVersion}`
    throw new Error(
      `A policy uses Cedar, but @cedar-policy/cedar-wasm cannot be loaded. Install it: ${what}`,
      { cause },
    )
  }
}
