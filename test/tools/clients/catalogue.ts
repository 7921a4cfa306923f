// The catalogue for trials of clients: the simulated models of a first start, and models of the scripted provider.
import { FIRST_CATALOGUE } from '../../../src/catalogue/first.ts'
import type { BuiltInProtocol } from '../../../src/protocols/registry.ts'

/** The simulated model of each protocol. */
export const SIMULATED: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'sim-flash',
  anthropic: 'sim-claude',
  openai: 'sim-gpt',
}
/** The model of each protocol that the script serves; some clients derive a model's abilities from its name. */
export const SCRIPTED: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'gemini-3-script',
  anthropic: 'claude-script',
  openai: 'gpt-script',
}

/** The same models under names of real providers: some clients refuse other names, or do less with them. */
export const SIMULATED_AS_KNOWN: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'gemini-2.5-flash',
  anthropic: 'claude-haiku-4-5',
  openai: 'gpt-4.1-mini',
}
export const SCRIPTED_AS_KNOWN: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'gemini-2.5-pro',
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-4.1',
}
const SIMULATED_ROUTES: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: '{ provider = "simulator", model = "flash" }',
  anthropic: '{ provider = "simulator-anthropic", model = "claude" }',
  openai: '{ provider = "simulator-openai", model = "gpt" }',
}

/** The price of a token of a scripted model, in nano-dollars. */
export const INPUT_NANOS = 1_000
export const OUTPUT_NANOS = 4_000

const scripted = (protocol: BuiltInProtocol, script_url: string): string => `
[[providers]]
name = "script-${protocol}"
protocol = "${protocol}"
base_url = "${script_url}/${protocol}${protocol === 'openai' ? '/v1' : ''}"
api_keys = ["provider-secret"]

${model(SCRIPTED[protocol], `{ provider = "script-${protocol}", model = "loop" }`)}
${model(SCRIPTED_AS_KNOWN[protocol], `{ provider = "script-${protocol}", model = "loop" }`)}
${model(SIMULATED_AS_KNOWN[protocol], SIMULATED_ROUTES[protocol])}
`

const model = (id: string, route: string): string => `
[[models]]
id = "${id}"
kind = "text"
max_output_tokens = 128_000
routes = [${route}]
price = { input = 1, output = 4 }
`

/** @param script_url the scripted provider's address */
export const clientsCatalogue = (script_url: string): string =>
  [
    FIRST_CATALOGUE,
    ...(['gemini', 'anthropic', 'openai'] as const).map((protocol) => scripted(protocol, script_url)),
  ].join('\n')
