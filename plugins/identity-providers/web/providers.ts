// The list of providers, fetched together with the code of their buttons, so that the form renders in one go.
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'

export type Providers = AnswerOf<(typeof api)['identity-providers']['get']>

let first: Providers | undefined

export async function readProviders(): Promise<void> {
  try {
    first = await send(api['identity-providers'].get())
  } catch {
    // The buttons fetch the list again, and show the failure.
  }
}

/** The list that was fetched with the code; undefined if that failed. */
export const providersAtFirst = (): Providers | undefined => first
