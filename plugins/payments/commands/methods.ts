// The built-in payment methods for commands. Methods of custom plugins run only in the gateway.
import type { Context } from '../../../src/app/command-line/context.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import type { Db } from '../../../src/store/db.ts'
import { withoutTrailing } from '../../../src/utilities/text-ends.ts'
import type { MethodParts, Network } from '../method-parts.ts'
import { openMethods } from '../methods.ts'
import { type PaymentSettings, paymentSettings } from '../settings.ts'

interface CommandMethodParts {
  db: Db
  catalogue: Catalogue
  /** Default: the settings of the catalogue. */
  settings?: PaymentSettings
}

/** Builds the payment parts of a command, without the ledger. Warnings go to standard error. */
export function commandMethods(
  { now, network }: CliDeps,
  { warn }: Pick<Context, 'warn'>,
  { db, catalogue, settings = paymentSettings.of(catalogue) }: CommandMethodParts,
) {
  const show = (_: object, message?: string) => warn(message ?? '')
  const parts: Omit<MethodParts, 'network'> = {
    ...{ db, now },
    log: { info: () => {}, warn: show, error: show },
    publicUrl: () => withoutTrailing(catalogue.server.public_url ?? '', '/'),
    settings: () => settings,
  }
  return { ...parts, providers: openMethods({ ...parts, network: network as Network }, []) }
}
