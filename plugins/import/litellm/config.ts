// LiteLLM's config.yaml with the files that it includes, as its sections.
import { invalidRequest } from '../../../src/domain/errors.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { elementsOf, type Fields, fieldsOf, textOf, textsOf } from './values.ts'

/** Sections of config.yaml: https://docs.litellm.ai/docs/proxy/configs */
export interface LitellmConfig {
  readonly model_list: readonly Fields[]
  readonly router_settings: Fields
  readonly litellm_settings: Fields
  readonly general_settings: Fields
  /** Values of `credential_list` by their names, which deployments name. */
  readonly credentials: ReadonlyMap<string, Fields>
  /** `environment_variables`: LiteLLM sets them when it starts. */
  readonly environment: ReadonlyMap<string, string>
  /** Other sections by their names, without those that only hold anchors: `x-…` by custom. */
  readonly other_sections: readonly string[]
}

/** Reads a file that the configuration includes. @param path as it is written: relative to the configuration's folder */
export type ReadIncluded = (path: string) => Promise<string>

/** Files may include files: https://docs.litellm.ai/docs/proxy/config_management */
const MAX_INCLUDED_FILES = 100

const READ_SECTIONS: readonly string[] = [
  'model_list',
  'router_settings',
  'litellm_settings',
  'general_settings',
  'credential_list',
  'environment_variables',
  'include',
]

/** Of which a file with sections has at least one: https://docs.litellm.ai/docs/proxy/config_settings */
const KNOWN_SECTIONS: readonly string[] = [
  ...READ_SECTIONS,
  'guardrails',
  'policies',
  'mcp_servers',
  'search_tools',
  'callback_settings',
  'files_settings',
  'finetune_settings',
]

/**
 * Reads the text of config.yaml.
 *
 * @throws GatewayError invalid_request for a text that is no such configuration
 */
export async function readLitellmConfig(text: string, readIncluded: ReadIncluded): Promise<LitellmConfig> {
  const sections = await mergedSections(text, readIncluded)
  const credentials = elementsOf(sections.credential_list).map(fieldsOf)
  const variables = Object.entries(fieldsOf(sections.environment_variables))
  return {
    model_list: elementsOf(sections.model_list).map(fieldsOf),
    router_settings: fieldsOf(sections.router_settings),
    litellm_settings: fieldsOf(sections.litellm_settings),
    general_settings: fieldsOf(sections.general_settings),
    credentials: new Map(
      credentials.map((each) => [textOf(each.credential_name) ?? '', fieldsOf(each.credential_values)]),
    ),
    environment: new Map(
      variables.flatMap(([name, value]) => {
        const written = textOf(value)
        return written === undefined ? [] : [[name, written] as const]
      }),
    ),
    other_sections: Object.keys(sections).filter(
      (name) => !READ_SECTIONS.includes(name) && !name.startsWith('x-'),
    ),
  }
}

/** Lists are appended, other sections replaced, as LiteLLM does it: litellm 1.72.6 proxy/proxy_server.py. */
async function mergedSections(text: string, readIncluded: ReadIncluded): Promise<Fields> {
  const merged: Record<string, unknown> = { ...parse(text, 'The configuration') }
  const pending = [...textsOf(merged.include)]
  const read = new Set<string>()
  for (const path of pending) {
    if (read.has(path)) continue
    read.add(path)
    if (read.size > MAX_INCLUDED_FILES)
      throw invalidRequest(`The configuration includes more than ${MAX_INCLUDED_FILES} files.`)
    const included = parse(await readIncluded(path), `The included file "${path}"`)
    pending.push(...textsOf(included.include))
    for (const [name, value] of Object.entries(included)) {
      const before = merged[name]
      merged[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
    }
  }
  return merged
}

function parse(text: string, what: string): Fields {
  let document: unknown
  try {
    document = Bun.YAML.parse(text)
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    throw invalidRequest(`${what} is not YAML: ${messageOf(thrown)}. Correct it, and import again.`)
  }
  if (document === null) return {}
  const sections = Object.keys(fieldsOf(document))
  const is_empty = sections.length === 0 && typeof document === 'object' && !Array.isArray(document)
  if (!is_empty && !sections.some((name) => KNOWN_SECTIONS.includes(name)))
    throw invalidRequest(
      `${what} is not a configuration of LiteLLM: it has none of its sections, such as "model_list:". Name LiteLLM's config.yaml.`,
    )
  return fieldsOf(document)
}
