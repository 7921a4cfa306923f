// `bun run release` with a small program in place of the gateway: the forms contain a script that starts EXECUTABLE of the environment.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildExecutables } from '../../src/build/release/executables.ts'
import { executableIn } from '../../src/build/release/files.ts'
import { main } from '../../src/build/release/main.ts'

const { EXECUTABLE, BUILT = '' } = process.env

process.exitCode = await main(async (options) => {
  const built = await buildExecutables({
    ...options,
    program: { entrypoints: [join(import.meta.dir, 'program/key.ts')], shared: async () => [] },
  })
  for (const platform of built.keys()) {
    const path = executableIn(options.folder, platform)
    renameSync(path, BUILT)
    // Packing, unpacking and hashing the 160 MB of an executable eight times takes 15 s of CPU.
    writeFileSync(path, `#!/bin/sh\nexec '${EXECUTABLE}' "$@"\n`, { mode: 0o755 })
  }
  return built
})
