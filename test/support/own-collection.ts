// The way in which memory is collected, kept to this process: what it starts is as it is elsewhere (NO_TIMED_COLLECTION of suite.ts).
delete process.env.BUN_GC_TIMER_DISABLE
