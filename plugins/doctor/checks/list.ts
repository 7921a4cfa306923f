// The doctor's own checks, in the order of its report. Those of snapshots, disk and certificate also raise alerts.
import type { Check, Diagnosis, Patient, ReadPatient } from '../../../src/app/checks/check.ts'

const QUARTER_HOUR_MS = 15 * 60_000

const folderCheck = (name: string, look: (patient: Patient) => Promise<Diagnosis[]>): Check => ({
  name,
  when: ['doctor'],
  needs: 'folder',
  look,
})

const catalogueCheck = (name: string, look: (patient: ReadPatient) => Promise<Diagnosis[]>): Check => ({
  name,
  when: ['doctor'],
  needs: 'catalogue',
  look,
})

export const checks: readonly Check[] = [
  folderCheck('data folder', async (patient) => (await import('./folder.ts')).checkFolder(patient)),
  folderCheck('database', async (patient) => (await import('./database.ts')).checkDatabase(patient)),
  {
    name: 'snapshots',
    when: ['doctor', 'alert'],
    needs: 'database',
    look: async (patient) => (await import('./snapshots.ts')).checkSnapshots(patient),
    alert: { rule: 'old_snapshot', title: 'Snapshots of the database', every_ms: 5 * 60_000 },
  },
  folderCheck('stored files', async (patient) =>
    (await import('./stored-files.ts')).checkStoredFiles(patient),
  ),
  {
    name: 'disk',
    when: ['doctor', 'alert'],
    needs: 'folder',
    look: async (patient) => (await import('./disk.ts')).checkDisk(patient),
    alert: { rule: 'disk', title: 'Disk nearly full', of_machine: true },
  },
  folderCheck('open files', async () => (await import('./open-files.ts')).checkFiles()),
  catalogueCheck('address', async (patient) => (await import('./address.ts')).checkAddress(patient)),
  {
    name: 'certificate',
    when: ['doctor', 'alert'],
    needs: 'catalogue',
    look: async (patient, time) => (await import('./certificate.ts')).checkCertificate(patient, time),
    alert: { rule: 'certificate', title: 'Certificate', of_machine: true, every_ms: QUARTER_HOUR_MS },
  },
  catalogueCheck('images', async (patient) => (await import('./images.ts')).checkImageLibrary(patient)),
  catalogueCheck('models', async (patient) => (await import('./models.ts')).checkModels(patient)),
  catalogueCheck('providers', async (patient) => (await import('./providers.ts')).checkProviders(patient)),
]
