import { ConfigError } from './config-error.ts'

/** Runs a check of a configuration, and names the file in the mistake that it finds. @throws ConfigError */
export async function inFile<Value>(
  shown: string,
  check: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof ConfigError) || error.field === null || error.code === 'config_env')
      throw error
    const { code, field } = error
    throw new ConfigError(code, `${shown}: ${error.message}`, { field, cause: error })
  }
}
