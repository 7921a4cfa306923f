// The way in which memory is collected, kept to this process: what it starts is as it is elsewhere (LATE_COLLECTION of suite.ts).
delete process.env.BUN_GC_TIMER_DISABLE
delete process.env.MIMALLOC_PURGE_DELAY
