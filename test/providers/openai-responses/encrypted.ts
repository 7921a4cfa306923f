// Encrypted reasoning: foreign content is refused because it cannot be verified.
const MARK = 'gAAAAAB'

export const encrypt = (thoughts: string): string => `${MARK}${Buffer.from(thoughts).toString('base64url')}`

export const isGenuine = (encrypted_content: string): boolean => encrypted_content.startsWith(MARK)
