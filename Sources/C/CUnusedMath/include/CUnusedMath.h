#pragma once
// The target is linked, and has nothing to call.
