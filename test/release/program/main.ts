// A program that fails in a chunk of its bundle.
interface Failing {
  /** Throws. */
  fail(depth: number): never
}

const { fail }: Failing = await import('./failing.ts')
try {
  fail(2)
} catch (thrown) {
  process.stdout.write(JSON.stringify({ stack: (thrown as Error).stack }))
}

export {}
