// Thought signatures: a foreign signature is refused.
const MARK = 'simulated '

/** The signature of thoughts, in base64. */
export const sign = (thoughts: string): string =>
  Buffer.from(`${MARK}${Bun.hash(thoughts)}`).toString('base64')

export const isGenuine = (signature: string): boolean =>
  Buffer.from(signature, 'base64').toString().startsWith(MARK)
