import type { Unwired, Wired, WiringInput } from './wiring.ts'

/**
 * The model of a configuration, ready for one call. A `scripted` model is wired by `scripted/in-process.ts`. A provider's
 * package is loaded by the first call that needs it: a process that calls one provider does not carry all of them.
 */
export async function wireModel(input: WiringInput): Promise<Wired | Unwired> {
  const { baseURL, provider } = input.config
  if (baseURL !== undefined && !/^https?:$/.test(URL.parse(baseURL)?.protocol ?? ''))
    return { problem: 'invalid_request', message: 'model.baseURL is not an http(s) address.' }
  switch (provider) {
    case 'openai':
      return (await import('./openai.ts')).wireOpenAiChat(input)
    case 'openai-responses':
      return (await import('./openai.ts')).wireOpenAiResponses(input)
    case 'anthropic':
      return (await import('./anthropic.ts')).wireAnthropic(input)
    case 'google':
      return (await import('./google.ts')).wireGoogle(input)
    case 'amazon-bedrock':
      return (await import('./bedrock.ts')).wireBedrock(input)
    case 'azure':
      return (await import('./azure.ts')).wireAzure(input)
    case 'openai-compatible':
    case 'scripted':
      return (await import('./openai-compatible.ts')).wireOpenAiCompatible(input)
  }
}
