/** How a configuration points to something else: a file, an address, an export of a module. */
import { z } from 'zod'

/** The form of `./file.ts#export`. */
export const modulePath = /^\.{1,2}\/[^#]{1,900}#[A-Za-z_$][A-Za-z0-9_$]{0,99}$/

/** `./file.ts#export`, relative to the folder of the configuration. */
export const ModulePath = z.custom<`${string}#${string}`>(
  (value) => typeof value === 'string' && modulePath.test(value),
  'takes ./file.ts#export, relative to the folder of the configuration',
)

/** Does the text mean an export of a module, well written or not? */
export const isModulePath = (text: string): boolean => text.startsWith('.') || text.includes('#')

/** `./file`, relative to the folder of the configuration. */
export const FilePath = z
  .string()
  .regex(/^(\.{1,2}\/|\/)[^#]{1,900}$/, 'takes ./file, relative to the folder of the configuration')

/** An address without a name or a password in it: what is pinned is stored for good (I20). */
export const HttpAddress = z.string().refine(isAddressText, {
  error: 'takes an address that begins with http:// or https://, without a name or a password',
})

const variable = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

/** The name of an environment variable. */
export const EnvName = z.string().regex(variable, 'takes the name of an environment variable')

const keyName =
  'takes the name of the environment variable that holds the key, such as OPENAI_API_KEY, never the key itself'

/** How the keys of vendors begin, some of which could be names as well. */
const keyItself = /^(?:sk|gsk|pk|xai|AIza)[-_A-Za-z0-9]{16,}$/

/** The name of the variable that holds the key of a provider. A key in its place would be pinned, and stored for good (I20). */
export const KeyName = z
  .string()
  .refine((name) => variable.test(name) && !keyItself.test(name), { error: keyName })

/** Is it an address of http or https, without a name or a password? */
export function isAddressText(text: string): boolean {
  const url = URL.parse(text)
  const known = url?.protocol === 'http:' || url?.protocol === 'https:'
  return known && url.username === '' && url.password === ''
}
