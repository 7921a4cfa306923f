// The catalogue that clients are tried with: the simulated models of a first start, and models of the scripted provider.
import { FIRST_CATALOGUE } from '../../src/config/first.ts'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'

/** The simulated model of each protocol. */
export const SIMULATED: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'sim-flash',
  anthropic: 'sim-claude',
  openai: 'sim-gpt',
}
/** The model of each protocol that the script serves; some clients judge by the name what a model can do. */
export const SCRIPTED: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'gemini-3-script',
  anthropic: 'claude-script',
  openai: 'gpt-script',
}

/** What a token of a scripted model costs, in nano-dollars. */
export const READ_NANOS = 1_000
export const WRITTEN_NANOS = 4_000

const scripted = (protocol: BuiltInProtocol, script_url: string): string => `
[[providers]]
name = "script-${protocol}"
protocol = "${protocol}"
base_url = "${script_url}/${protocol}${protocol === 'openai' ? '/v1' : ''}"
api_keys = ["provider-secret"]

[[models]]
id = "${SCRIPTED[protocol]}"
kind = "text"
max_output_tokens = 128_000
routes = [{ provider = "script-${protocol}", model = "loop" }]
price = { input = 1, output = 4 }
`

/** @param script_url the scripted provider's address */
export const clientsCatalogue = (script_url: string): string =>
  [
    FIRST_CATALOGUE,
    ...(['gemini', 'anthropic', 'openai'] as const).map((protocol) => scripted(protocol, script_url)),
  ].join('\n')
