// What works beside the calls: the audit, the doctor, backups, and what is told of the calls to whoever watches.
import type { Catalogue } from '../domain/catalogue.ts'
import type { ProcessLogger } from '../observe/log.ts'
import type { Gateway } from '../surface/gateway.ts'
import { createBackups } from './backup/backups.ts'
import { createBooks } from './books.ts'
import { createDoctor } from './doctor.ts'
import { createObserving } from './observing.ts'

/** As in `Gateway`. */
export type Beside = Pick<Gateway, 'books' | 'doctor' | 'backups' | 'metrics'>

interface BesideParts {
  data_folder: string
  catalogue: () => Catalogue
  log: ProcessLogger
  now: () => number
}

/** Nothing of it works yet. */
export const createBeside = ({ data_folder, catalogue, log, now }: BesideParts) => ({
  books: createBooks({ data_folder, now }),
  doctor: createDoctor(data_folder),
  backups: createBackups({ data_folder, catalogue, log, now }),
  observing: createObserving({ catalogue, log, now }),
})
