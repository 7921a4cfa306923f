// LiteLLM's config.yaml, merged with the files that it includes.
import { invalidRequest } from '../../../src/domain/errors.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { elementsOf, type Fields, fieldsOf, textOf, textsOf } from './values.ts'

/** Sections of config.yaml: https://docs.litellm.ai/docs/proxy/configs */
export interface LitellmConfig {
  readonly model_list: readonly Fields[]
  readonly router_settings: Fields
  readonly litellm_settings: Fields
  readonly general_settings: Fields
  /** `credential_list`: values by the names that deployments refer to. */
  readonly credentials: ReadonlyMap<string, Fields>
  /** `environment_variables`, which LiteLLM sets when it starts. */
  readonly environment: ReadonlyMap<string, string>
  /** Names of the other sections, without `x-…`, which by convention only hold anchors. */
  readonly other_sections: readonly string[]
}

/** Reads an included file. @param path as in the configuration: relative to the configuration's folder */
export type ReadIncluded = (path: string) => Promise<string>

/** Included files may include others: https://docs.litellm.ai/docs/proxy/config_management */
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

/** A file that is not empty has at least one of these: https://docs.litellm.ai/docs/proxy/config_settings */
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

/** Reads the text of config.yaml. @throws GatewayError invalid_request if the text is not a configuration of LiteLLM */
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

/** Appends lists and replaces other sections, as LiteLLM does: litellm 1.72.6 proxy/proxy_server.py. */
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
