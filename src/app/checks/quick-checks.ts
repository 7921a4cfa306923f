// The checks that are quick enough for the process of the gateway.
import type { QuickChecks } from '../surface/diagnosis.ts'
import { checkCertificate } from './certificate.ts'
import type { ReadPatient } from './check.ts'
import { checkDisk } from './disk.ts'

export const quickChecks = (parts: Pick<ReadPatient, 'data_folder' | 'now'>): QuickChecks => ({
  disk: ({ storage }) => checkDisk({ ...parts, storage }),
  certificate: (catalogue) => checkCertificate({ ...parts, catalogue, storage: catalogue.storage, env: {} }),
})
