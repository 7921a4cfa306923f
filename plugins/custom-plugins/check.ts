// The doctor's check of custom plugins: the files that a start loads, and similar files that it does not load. It runs no plugin code.
import { type CheckContext, type Diagnosis, diagnosesOf } from '../../src/app/checks/check.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { findPlugins, pluginsFolder, refuseForeignOwners, userOfGateway } from './files.ts'

const { fail, ok, warn } = diagnosesOf('plugins')

export function checkPlugins({ data_folder }: Pick<CheckContext, 'data_folder'>): Diagnosis[] {
  try {
    const { files, skipped } = findPlugins(pluginsFolder(data_folder))
    for (const { path } of files) refuseForeignOwners(path, userOfGateway(data_folder))
    const found = files.length === 0 ? 'none' : `${files.map(({ file }) => file).join(', ')}`
    return [
      ok(files.length === 0 ? found : `${found}; \`tollgate plugin check\` tests them`),
      ...(skipped.length > 0
        ? [
            warn(
              `not loaded: ${skipped.join(', ')}`,
              'Only files ending with .ts are loaded: rename them, or move them away.',
            ),
          ]
        : []),
    ]
  } catch (refusal) {
    return [fail(messageOf(refusal), 'The gateway cannot start until you fix this.')]
  }
}
