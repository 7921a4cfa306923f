// The checks of the doctor, in the order of its report; those of the disk and of the certificate raise alerts, too.
import type { Check } from '../../../src/app/checks/check.ts'
import type { Doctor } from '../check-up.ts'

const QUARTER_HOUR_MS = 15 * 60_000

export const checks: readonly Check<Doctor>[] = [
  {
    name: 'data folder',
    when: ['doctor'],
    needs: 'folder',
    look: async (patient) => (await import('./folder.ts')).checkFolder(patient),
  },
  {
    name: 'database',
    when: ['doctor'],
    needs: 'folder',
    look: async (patient) => (await import('./database.ts')).checkDatabase(patient),
  },
  {
    name: 'stored files',
    when: ['doctor'],
    needs: 'folder',
    look: async (patient) => (await import('./stored-files.ts')).checkStoredFiles(patient),
  },
  {
    name: 'disk',
    when: ['doctor', 'alert'],
    needs: 'folder',
    look: async (patient) => (await import('../../../src/app/checks/disk.ts')).checkDisk(patient),
    alert: { rule: 'disk', title: 'Disk nearly full', of_machine: true },
  },
  {
    name: 'open files',
    when: ['doctor'],
    needs: 'folder',
    look: async () => (await import('./open-files.ts')).checkFiles(),
  },
  {
    name: 'address',
    when: ['doctor'],
    needs: 'catalogue',
    look: async (patient) => (await import('./address.ts')).checkAddress(patient),
  },
  {
    name: 'certificate',
    when: ['doctor', 'alert'],
    needs: 'catalogue',
    look: async (patient, time) =>
      (await import('../../../src/app/checks/certificate.ts')).checkCertificate(patient, time),
    alert: { rule: 'certificate', title: 'Certificate', of_machine: true, every_ms: QUARTER_HOUR_MS },
  },
  {
    name: 'images',
    when: ['doctor'],
    needs: 'catalogue',
    look: async (patient) => (await import('./images.ts')).checkImageLibrary(patient),
  },
  {
    name: 'models',
    when: ['doctor'],
    needs: 'catalogue',
    look: async (patient) => (await import('./models.ts')).checkModels(patient),
  },
  {
    name: 'providers',
    when: ['doctor'],
    needs: 'catalogue',
    look: async (patient) => (await import('./providers.ts')).checkProviders(patient),
  },
]
