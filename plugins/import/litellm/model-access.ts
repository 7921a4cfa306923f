// The models that a key may call: its own list and the lists of its team, user, organisation and project must all allow a model.
import { compileModelPatterns } from '../../../src/access/model-patterns.ts'

/** Names that lists of models may use. */
export interface ModelNames {
  /** Imported models, each with LiteLLM's names of its providers. */
  readonly models: ReadonlyMap<string, readonly string[]>
  /** Aliases of models: the names that callers use. */
  readonly aliases: ReadonlyMap<string, string>
  /** Access groups with their models: https://docs.litellm.ai/docs/proxy/model_access */
  readonly groups: ReadonlyMap<string, readonly string[]>
}

/** Special entries of lists: litellm 1.72.6 proxy/_types.py SpecialModelNames. */
const ALL_MODELS = 'all-proxy-models'
/** Only in lists of keys: the models that the team's list allows. */
const TEAM_MODELS = 'all-team-models'
const NO_MODELS = 'no-default-models'

const PATTERN = /^[A-Za-z0-9*][A-Za-z0-9*._:/-]{0,127}$/

/**
 * Returns the models that all lists allow.
 *
 * @param lists from LiteLLM's rows; an empty list allows all models
 * @returns null for all models; an empty list if no model is left
 */
export function allowedModels(
  lists: readonly (readonly string[])[],
  names: ModelNames,
): readonly string[] | null {
  let allowed: readonly string[] | null = null
  for (const list of lists) {
    const own = patternsOf(list, names)
    if (own !== null) allowed = allowed === null ? own : inBoth(allowed, own, names)
  }
  return allowed
}

/** @returns null if the list allows all models */
function patternsOf(list: readonly string[], names: ModelNames): readonly string[] | null {
  if (list.length === 0 || list.includes(ALL_MODELS) || list.includes(TEAM_MODELS) || list.includes('*'))
    return null
  const written = list
    .filter((entry) => entry !== NO_MODELS)
    .flatMap((entry) => names.groups.get(entry) ?? [entry])
    .flatMap((entry) => [entry, ...modelsOfProvider(entry, names)])
  const allows = compileModelPatterns(written)
  const aliases = [...names.aliases].flatMap(([alias, target]) => (allows(target) ? [alias] : []))
  return [...new Set([...written, ...aliases])].filter((each) => PATTERN.test(each))
}

/** `openai/*` allows all models that OpenAI serves, whatever their names: litellm 1.110.2 proxy/auth/auth_checks.py. */
function modelsOfProvider(entry: string, { models }: ModelNames): readonly string[] {
  const [, provider] = /^([^/*]+)\/\*$/.exec(entry) ?? []
  return provider === undefined
    ? []
    : [...models].flatMap(([id, prefixes]) => (prefixes.includes(provider) ? [id] : []))
}

/** Returns patterns in both lists, and the names that both lists allow. */
function inBoth(one: readonly string[], other: readonly string[], { models }: ModelNames): readonly string[] {
  const same = one.filter((entry) => other.includes(entry))
  const [isInOne, isInOther, isInSame] = [one, other, same].map(compileModelPatterns)
  const candidates = [...one, ...other].filter((entry) => !entry.includes('*'))
  const both = [...candidates, ...models.keys()].filter(
    (id) => isInOne?.(id) === true && isInOther?.(id) === true && isInSame?.(id) !== true,
  )
  return [...new Set([...same, ...both])]
}
