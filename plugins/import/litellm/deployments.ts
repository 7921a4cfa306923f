// Deployments of LiteLLM: the entries of `model_list`, with the credentials that they name.
import type { LeftOut } from '../move-in.ts'
import type { LitellmConfig } from './config.ts'
import { PREFIXES, prefixOfName } from './prefixes.ts'
import { type Fields, fieldsOf, textOf } from './values.ts'

/** One entry of `model_list`. Entries with the same name share its calls. */
export interface Deployment {
  /** The name that callers use. */
  readonly name: string
  /** LiteLLM's name of the provider: `azure`. */
  readonly prefix: string
  /** The provider's id of the model, without the prefix. */
  readonly model: string
  readonly params: Fields
  readonly info: Fields
  /** For messages: `deployment 3 of "gpt-4o" (azure/gpt-4o-eu)`. */
  readonly row: string
}

/** A reference to an environment variable, `os.environ/NAME`: https://docs.litellm.ai/docs/proxy/configs */
interface Reference {
  readonly variable: string
}

const REFERENCE = /^os\.environ\/(.+)$/

/** Returns the variable that a value refers to; undefined for a literal value. */
export function parseReference(value: unknown): Reference | undefined {
  const [, variable] = REFERENCE.exec(textOf(value) ?? '') ?? []
  return variable === undefined ? undefined : { variable }
}

/** Reads a setting that is not secret: a literal, or a variable of the environment. */
export interface Settings {
  /** @returns `missing`: the name of a variable that is not set */
  read(value: unknown): { readonly text?: string; readonly missing?: string }
  /** The first of these variables that is set. */
  firstSet(variables: readonly string[]): string | undefined
}

/** @param env the import's own environment; the configuration's `environment_variables` come first */
export function settingsOf(
  { environment }: LitellmConfig,
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  const setting = (variable: string) => textOf(environment.get(variable)) ?? textOf(env[variable])
  return {
    read(value) {
      const reference = parseReference(value)
      if (!reference) {
        const text = textOf(value)
        return text === undefined ? {} : { text }
      }
      const text = setting(reference.variable)
      return text === undefined ? { missing: reference.variable } : { text }
    },
    firstSet: (variables) => variables.find((each) => setting(each) !== undefined),
  }
}

export interface Deployments {
  readonly deployments: readonly Deployment[]
  readonly left_out: readonly LeftOut[]
}

/** Reads `model_list`. Leaves out entries without a model, and entries of unsupported providers. */
export function readDeployments({ model_list, credentials }: LitellmConfig): Deployments {
  const deployments: Deployment[] = []
  const left_out: LeftOut[] = []
  for (const [index, entry] of model_list.entries()) {
    const own = fieldsOf(entry.litellm_params)
    const credential = textOf(own.litellm_credential_name)
    const stored = credential === undefined ? {} : credentials.get(credential)
    const params = { ...stored, ...own }
    const name = textOf(entry.model_name) ?? ''
    const written = textOf(own.model) ?? ''
    const row = `deployment ${index + 1} of "${name}" (${written})`
    const { prefix, model } = splitModel(written, textOf(own.custom_llm_provider))
    const reason =
      name === '' || written === ''
        ? 'It has no model_name or no litellm_params.model. Add it to the configuration.'
        : stored === undefined
          ? `The credential "${credential}" is not in credential_list: the database keeps it encrypted. Write its api_key and api_base into the entry.`
          : (reasonAgainst(prefix, written) ?? reasonByInfo(fieldsOf(entry.model_info)))
    if (prefix !== undefined && reason === undefined)
      deployments.push({ name, prefix, model, params, info: fieldsOf(entry.model_info), row })
    else left_out.push({ kind: 'deployments', row, reason: reason ?? '' })
  }
  return { deployments, left_out }
}

/** `azure/gpt-4o-eu` is `gpt-4o-eu` at `azure`. Without a prefix, the model's family names the provider. */
function splitModel(written: string, provider: string | undefined) {
  const slash = written.indexOf('/')
  const before = slash < 0 ? undefined : written.slice(0, slash)
  if (provider !== undefined)
    return { prefix: provider, model: before === provider ? written.slice(slash + 1) : written }
  if (before !== undefined) return { prefix: before, model: written.slice(slash + 1) }
  return { prefix: written === '*' ? '*' : prefixOfName(written), model: written }
}

/** Reads `model_info`: litellm 1.110.2 types/router.py ModelInfo. A team's model is left out: here every key could call it. */
function reasonByInfo({ blocked, team_id }: Fields): string | undefined {
  if (blocked === true) return 'It is paused. Take `blocked` out of its model_info to sell it.'
  if (textOf(team_id) === undefined) return undefined
  return 'Only one team may call it. Add it by hand, and list the allowed models of all other keys.'
}

function reasonAgainst(prefix: string | undefined, written: string): string | undefined {
  if (prefix === undefined)
    return `It does not say which provider serves "${written}". Write it before the name, such as openai/${written}.`
  if (prefix === '*')
    return 'It passes any model to any provider. Add an entry for each provider and model that you sell.'
  if (PREFIXES.has(prefix)) return undefined
  return `Tollgate does not support the provider "${prefix}". If the server speaks OpenAI's protocol, write openai/… with its api_base.`
}
