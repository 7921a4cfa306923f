// The providers to choose from: the well-known ones, and those that the catalogue has already.
import type { AnswerOf, api } from '../../../console/web/app/client.ts'
import type { Known } from '../parts/known.ts'
import { PROTOCOLS, type Protocol } from './protocols.ts'

export type SetupState = AnswerOf<typeof api.setup.get>
export type ServerField = Known['fields'][number]['name']

/** A provider to choose. */
export interface Choice {
  title: string
  /** Empty if nothing is to be said. */
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
  takes_accounts: boolean
  model_help: string
  /** The provider's own names of models that it is known to have. */
  models: readonly string[]
  /** It is in the catalogue already. */
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
        protocols: PROTOCOLS.filter((each) => each === protocol),
        fields: [],
        base_url: 'saved',
        keys_url: '',
        takes_key: 'no',
        takes_accounts: false,
        model_help: '',
        models: models.filter((model) => model.providers.includes(name)).map(({ id }) => id),
        saved: true,
      }),
    )
  return [...from_list, ...others]
}

/** Nothing of those that take an API key, as most do. */
function detailOf({ name, server, takes_key, takes_accounts }: Known, is_saved: boolean): string {
  if (name === 'simulator') return 'Made-up answers, free'
  if (is_saved) return 'In the catalogue'
  if (server === null) return 'At its address'
  if (takes_accounts) return 'With a service account'
  return takes_key === 'maybe' ? 'On this machine' : ''
}

/** The suggested price of a model: its provider's list price. */
export const knownModel = ({ known }: SetupState, model: string) =>
  known.flatMap(({ models }) => models).find((one) => one.model === model)
