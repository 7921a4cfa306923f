// The providers to choose from: the well-known ones, and those that the catalogue has already.
import type { AnswerOf, api } from '../../app/client.ts'
import type { Option } from '../select.tsx'

export type SetupState = AnswerOf<typeof api.setup.get>
export type MadeKey = AnswerOf<typeof api.setup.account.post>
export type FirstCallView = AnswerOf<(typeof api.setup)['first-call']['get']>
export type Known = SetupState['known'][number]
export type Protocol = Known['protocols'][number]

export const PROTOCOLS: readonly Option<Protocol>[] = [
  { value: 'openai', label: 'OpenAI' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'gemini', label: 'Gemini' },
]

/** A provider to choose. */
export interface Choice {
  title: string
  detail: string
  /** Its name in the catalogue. */
  name: string
  /** Of a known server; null for another one. */
  server: string | null
  protocols: readonly Protocol[]
  fields: Known['fields']
  base_url: string
  keys_url: string
  takes_key: Known['takes_key']
  /** The provider's own names of models that it is known to have. */
  models: readonly string[]
  /** It is in the catalogue: there is nothing to save. */
  saved: boolean
}

/** The well-known ones, each under a name that is free. */
export const newChoicesOf = ({ known, providers }: SetupState): Choice[] =>
  known.map((one) => ({
    ...one,
    name: freeName(
      one.name,
      providers.map(({ name }) => name),
    ),
    models: one.models.map(({ model }) => model),
    saved: false,
    detail: detailOf(one, false),
  }))

export function freeName(name: string, taken: readonly string[]): string {
  let free = name
  for (let count = 2; taken.includes(free); count++) free = `${name}-${count}`
  return free
}

/** The well-known ones first, then what else the catalogue has. */
export function choicesOf({ known, providers, models }: SetupState): Choice[] {
  const from_list = known.map((one): Choice => {
    const there = providers.find(
      ({ name, protocol }) => name === one.name && one.protocols.some((spoken) => spoken === protocol),
    )
    return {
      ...one,
      models: one.models.map(({ model }) => model),
      saved: there !== undefined,
      detail: detailOf(one, there !== undefined),
    }
  })
  const others = providers
    .filter(({ name, simulated }) => !simulated && !known.some((one) => one.name === name))
    .map(
      ({ name, protocol }): Choice => ({
        title: name,
        detail: 'In the catalogue',
        name,
        server: null,
        protocols: PROTOCOLS.flatMap(({ value }) => (value === protocol ? value : [])),
        fields: [],
        base_url: 'saved',
        keys_url: '',
        takes_key: 'no',
        models: models.filter((model) => model.providers.includes(name)).map(({ id }) => id),
        saved: true,
      }),
    )
  return [...from_list, ...others]
}

function detailOf({ name, server, takes_key }: Known, is_saved: boolean): string {
  if (name === 'simulator') return 'Made-up answers, no key, no costs'
  if (is_saved) return 'In the catalogue'
  if (server === null) return 'At an address of your own'
  return takes_key === 'maybe' ? 'On this machine' : 'With an API key'
}

/** What is suggested for a model: the price that its provider lists. */
export const knownModel = ({ known }: SetupState, model: string) =>
  known.flatMap(({ models }) => models).find((one) => one.model === model)
