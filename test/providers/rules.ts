// The list of all rules of the simulated providers, in the order of the providers.
import { RULES as anthropic } from './anthropic/index.ts'
import { RULES as gemini } from './gemini/index.ts'
import { RULES as responses } from './openai-responses/rules.ts'
import type { Rule } from './rule.ts'
import { SERVERS } from './servers/servers.ts'

/** Servers share rules. */
export const RULES: readonly Rule[] = [
  ...new Set([...SERVERS.flatMap(({ rules }) => rules), ...responses, ...anthropic, ...gemini]),
]
