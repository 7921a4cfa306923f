// The doctor's look at plugins of one's own: which files a start loads, and which look like plugins but are not. None is run.
import { messageOf } from '../../domain/thrown.ts'
import type { Diagnosis } from '../../surface/doctor.ts'
import { findPlugins, pluginsFolder } from '../own-plugins/files.ts'
import { fail, ok, type Patient, warn } from './diagnosis.ts'

const CHECK = 'plugins'

export function checkPlugins({ data_folder }: Pick<Patient, 'data_folder'>): Diagnosis[] {
  try {
    const { files, skipped } = findPlugins(pluginsFolder(data_folder))
    const found = files.length === 0 ? 'none' : `${files.map(({ file }) => file).join(', ')}`
    return [
      ok(CHECK, files.length === 0 ? found : `${found}; \`tollgate plugin check\` tries them`),
      ...(skipped.length > 0
        ? [
            warn(
              CHECK,
              `not loaded: ${skipped.join(', ')}`,
              'Only names ending with .ts are: rename them, or move them away.',
            ),
          ]
        : []),
    ]
  } catch (refusal) {
    return [fail(CHECK, messageOf(refusal), 'A start is refused until then.')]
  }
}
