// The providers, read along with the code of their buttons: the form for signing in is drawn once all of its parts are there.
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'

export type Providers = AnswerOf<(typeof api)['identity-providers']['get']>

let first: Providers | undefined

export async function readProviders(): Promise<void> {
  try {
    first = await send(api['identity-providers'].get())
  } catch {
    // The buttons ask again, and say what fails.
  }
}

/** As they were read with the code; undefined where that failed. */
export const providersAtFirst = (): Providers | undefined => first
