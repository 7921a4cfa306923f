// The default garbage collection for processes that this one starts, in place of the suite's (LATE_COLLECTION of suite.ts).
delete process.env.BUN_GC_TIMER_DISABLE
delete process.env.MIMALLOC_PURGE_DELAY
