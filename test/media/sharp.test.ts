// Access to sharp: not loaded before its first use, and at most two images at once.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { withSharp } from '../../src/media/sharp.ts'

const MEDIA = join(import.meta.dir, '../../src/media')

describe('sharp', () => {
  test('is not loaded before the first image', () => {
    const script = `
      await import('${MEDIA}/inspect.ts')
      await import('${MEDIA}/convert.ts')
      const loaded = () => Object.keys(require.cache).some((path) => path.includes('node_modules/sharp'))
      const before = loaded()
      const { withSharp } = await import('${MEDIA}/sharp.ts')
      await withSharp(async () => {})
      process.stdout.write(JSON.stringify([before, loaded()]))`
    const { stdout } = Bun.spawnSync([process.execPath, '-e', script], { cwd: MEDIA })
    expect(JSON.parse(stdout.toString())).toEqual([false, true])
  })

  test('opens at most two images at once', async () => {
    let open = 0
    let max_open = 0
    await Promise.all(
      Array.from({ length: 9 }, () =>
        withSharp(async () => {
          open += 1
          max_open = Math.max(max_open, open)
          // Lets every other task begin that is allowed to.
          await new Promise(setImmediate)
          open -= 1
        }),
      ),
    )
    expect(max_open).toBe(2)
  })
})
