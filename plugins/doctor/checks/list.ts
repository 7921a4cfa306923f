// The doctor's own checks, in the order of its report. Those of snapshots, disk and certificate also raise alerts.
import type { Check, CheckContext, Diagnosis, ReadContext } from '../../../src/app/checks/check.ts'

const QUARTER_HOUR_MS = 15 * 60_000

const folderCheck = (name: string, look: (context: CheckContext) => Promise<Diagnosis[]>): Check => ({
  name,
  when: ['doctor'],
  needs: 'folder',
  look,
})

const catalogueCheck = (name: string, look: (context: ReadContext) => Promise<Diagnosis[]>): Check => ({
  name,
  when: ['doctor'],
  needs: 'catalogue',
  look,
})

export const checks: readonly Check[] = [
  folderCheck('data folder', async (context) => (await import('./folder.ts')).checkFolder(context)),
  folderCheck('database', async (context) => (await import('./database.ts')).checkDatabase(context)),
  {
    name: 'snapshots',
    when: ['doctor', 'alert'],
    needs: 'database',
    look: async (context) => (await import('./snapshots.ts')).checkSnapshots(context),
    alert: { rule: 'old_snapshot', title: 'Snapshots of the database', every_ms: 5 * 60_000 },
  },
  folderCheck('stored files', async (context) =>
    (await import('./stored-files.ts')).checkStoredFiles(context),
  ),
  {
    name: 'disk',
    when: ['doctor', 'alert'],
    needs: 'folder',
    look: async (context) => (await import('./disk.ts')).checkDisk(context),
    alert: { rule: 'disk', title: 'Disk nearly full', of_machine: true },
  },
  folderCheck('open files', async () => (await import('./open-files.ts')).checkFiles()),
  catalogueCheck('address', async (context) => (await import('./address.ts')).checkAddress(context)),
  {
    name: 'certificate',
    when: ['doctor', 'alert'],
    needs: 'catalogue',
    look: async (context, time) => (await import('./certificate.ts')).checkCertificate(context, time),
    alert: { rule: 'certificate', title: 'Certificate', of_machine: true, every_ms: QUARTER_HOUR_MS },
  },
  catalogueCheck('images', async (context) => (await import('./images.ts')).checkImageLibrary(context)),
  catalogueCheck('models', async (context) => (await import('./models.ts')).checkModels(context)),
  catalogueCheck('providers', async (context) => (await import('./providers.ts')).checkProviders(context)),
]
